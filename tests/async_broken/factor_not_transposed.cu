// wrong_answer on line 33: x has its columns side by side, and the product is told that they are not
// launch: grid=1, block=128, x=dice(128), out=zeros(512)
// expect: out = np.tile(x.reshape(16, 8).sum(axis=0), 64)
#include <cuda_fp16.h>

#ifdef FIXED
#define TRANSPOSED "1"
#else
#define TRANSPOSED "0"
#endif

#define PRODUCT                                                                                  \
    asm volatile(                                                                                \
        "{ .reg .pred p; setp.ne.b32 p, %6, 0; "                                                 \
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, " \
        "%5, p, 1, 1, " TRANSPOSED "; }"                                                         \
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                         \
        : "r"(one), "l"(where), "r"(1)                                                           \
        : "memory")

// out (64 x 8) = ones (64 x 16) times x, which has 16 rows of 8 elements.
extern "C" __global__ void factor_not_transposed(const int* x, float* out) {
    __shared__ alignas(128) half b[16][8];
    const int t = threadIdx.x;
    b[t / 8][t % 8] = __int2half_rn(x[t]);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const unsigned one = 0x3c003c00, start = (unsigned)__cvta_generic_to_shared(b) >> 4;
    const unsigned long long where = start | 8ull << 16 | 8ull << 32;
    float d[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    // The last operand tells whether the factor is transposed.
    PRODUCT;
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    const int row = t / 32 * 16 + t % 32 / 4, column = t % 4 * 2;
    for (int i = 0; i < 4; i++) out[(row + i / 2 * 8) * 8 + column + i % 2] = d[i];
}
