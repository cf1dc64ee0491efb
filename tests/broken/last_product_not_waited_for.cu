// uninitialized_read on line 40: a wait that leaves one group under way ends the loop, and nothing waits for the last product
// launch: grid=1, block=128, x=dice(384), out=zeros(512)
// expect: out = np.tile(x.reshape(6, 8, 8).sum(axis=(0, 2)), 64)
#include <cuda_fp16.h>

#define PRODUCT                                                                                  \
    asm volatile(                                                                                \
        "{ .reg .pred p; setp.ne.b32 p, %6, 0; "                                                 \
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, " \
        "%5, p, 1, 1, 0; }"                                                                      \
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                         \
        : "r"(one), "l"(where), "r"(1)                                                           \
        : "memory")

// out (64 x 8) = the sum of three products: ones (64 x 16) times 16 x 8 elements of x.
extern "C" __global__ void last_product_not_waited_for(const int* x, float* out) {
    __shared__ alignas(128) half b[3][128];
    const int t = threadIdx.x;
    for (int k = 0; k < 3; k++) b[k][t] = __int2half_rn(x[128 * k + t]);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const unsigned one = 0x3c003c00;
    float d[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < 3; k++) {
        const unsigned start = (unsigned)__cvta_generic_to_shared(b[k]) >> 4;
        const unsigned long long where = start | 8ull << 16 | 16ull << 32;
        PRODUCT;
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    }
#ifdef FIXED
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
    const int row = t / 32 * 16 + t % 32 / 4, column = t % 4 * 2;
    for (int i = 0; i < 4; i++) {
        const int at = (row + i / 2 * 8) * 8 + column + i % 2;
        // The sum leaves its registers here.
        out[at] = d[i];
    }
}
