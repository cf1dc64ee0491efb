// out_of_bounds on line 33: the step of a descriptor is 256 units of 16 bytes, where 256 bytes are meant
// launch: grid=1, block=128, x=dice(512), out=zeros(512)
// expect: out = np.tile(x.reshape(8, 8, 8).sum(axis=(0, 2)), 64)
#include <cuda_fp16.h>

#define PRODUCT                                                                                  \
    asm volatile(                                                                                \
        "{ .reg .pred p; setp.ne.b32 p, %6, 0; "                                                 \
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, " \
        "%5, p, 1, 1, 0; }"                                                                      \
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                         \
        : "r"(one), "l"(where + step * k), "r"(1)                                                \
        : "memory")

// out (64 x 8) = ones (64 x 64) times 64 x 8 elements of x, in four steps.
extern "C" __global__ void descriptor_step_in_bytes(const int* x, float* out) {
    __shared__ alignas(128) half b[512];
    const int t = threadIdx.x;
    for (int i = t; i < 512; i += 128) b[i] = __int2half_rn(x[i]);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const unsigned one = 0x3c003c00, start = (unsigned)__cvta_generic_to_shared(b) >> 4;
    const unsigned long long where = start | 8ull << 16 | 16ull << 32;
#ifdef FIXED
    const unsigned step = 256 >> 4;
#else
    const unsigned step = 256;
#endif
    float d[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < 4; k++) {
        PRODUCT;
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    const int row = t / 32 * 16 + t % 32 / 4, column = t % 4 * 2;
    for (int i = 0; i < 4; i++) out[(row + i / 2 * 8) * 8 + column + i % 2] = d[i];
}
