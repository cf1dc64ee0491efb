// data_race on line 34, with line 47: the consumers free a stage when the product is issued, and it still reads there
// launch: grid=1, block=160, x=dice(768).astype(float16), out=zeros(512), tiles=int32(6)
// expect: out = np.tile(x.astype(float32).reshape(12, 8, 8).sum(axis=(0, 2)), 64)
#include <cuda/ptx>
#include <cuda_fp16.h>
using namespace cuda::ptx;

#define PRODUCT                                                                                  \
    asm volatile(                                                                                \
        "{ .reg .pred p; setp.ne.b32 p, %6, 0; "                                                 \
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, " \
        "%5, p, 1, 1, 0; }"                                                                      \
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                         \
        : "r"(one), "l"(where), "r"(1)                                                           \
        : "memory")

// out (64 x 8) = the sum of products: ones (64 x 16) times each tile of 16 x 8 elements of x.
extern "C" __global__ void stage_freed_before_the_product(const half* x, float* out, int tiles) {
    __shared__ alignas(128) half b[2][128];
    __shared__ uint64_t full[2], empty[2];
    const int t = threadIdx.x;
    if (t == 0) {
        for (int s = 0; s < 2; s++) mbarrier_init(&full[s], 1), mbarrier_init(&empty[s], 128);
        fence_proxy_async(space_shared);
    }
    __syncthreads();
    if (t >= 128) {  // the producer warp
        if (t > 128) return;
        for (int k = 0; k < tiles; k++) {
            const int s = k % 2;
            while (!mbarrier_try_wait_parity(&empty[s], (k / 2 + 1) % 2)) continue;
            mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full[s], 256);
            const half* from = x + 128 * k;
            cp_async_bulk(space_cluster, space_global, b[s], from, 256, &full[s]);
        }
        return;
    }
    const unsigned one = 0x3c003c00;
    float d[4] = {};
    for (int k = 0; k < tiles; k++) {
        const int s = k % 2;
        while (!mbarrier_try_wait_parity(&full[s], k / 2 % 2)) continue;
        const unsigned start = (unsigned)__cvta_generic_to_shared(b[s]) >> 4;
        const unsigned long long where = start | 8ull << 16 | 16ull << 32;
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        // The product reads b[s].
        PRODUCT;
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#ifdef FIXED
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        mbarrier_arrive(sem_release, scope_cta, space_shared, &empty[s]);
#else
        mbarrier_arrive(sem_release, scope_cta, space_shared, &empty[s]);
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
    }
    const int row = t / 32 * 16 + t % 32 / 4, column = t % 4 * 2;
    for (int i = 0; i < 4; i++) out[(row + i / 2 * 8) * 8 + column + i % 2] = d[i];
}
