// data_race on line 37, with line 31: the proxy fence comes before the stores, so the copy may miss them
// launch: grid=2, block=256, x=boxes(ramp(1536).reshape(48, 32), 8, 32), out=boxes(zeros((48, 32)), 8, 32), tiles=int32(3)
// expect: out = 2 * x
#include <cuda.h>
#include <cuda/ptx>
using namespace cuda::ptx;

// out = 2 * x, both as tensor maps. Each block changes its boxes in shared memory.
extern "C" __global__ void fence_before_the_stores(const __grid_constant__ CUtensorMap x,
                                                   const __grid_constant__ CUtensorMap out,
                                                   int boxes) {
    __shared__ alignas(128) float box[8][32];
    __shared__ uint64_t full;
    const int t = threadIdx.x;
    float* mine = &box[t / 32][t % 32];
    if (t == 0) {
        mbarrier_init(&full, 1);
        fence_proxy_async(space_shared);
    }
    __syncthreads();
    for (int k = 0; k < boxes; k++) {
        const int begin[2] = {0, 8 * (boxes * (int)blockIdx.x + k)};
        if (t == 0) {
            mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full, sizeof box);
            cp_async_bulk_tensor(space_cluster, space_global, box, &x, begin, &full);
        }
        while (!mbarrier_try_wait_parity(&full, k % 2)) continue;
#ifndef FIXED
        fence_proxy_async(space_shared);
#endif
        *mine = 2.0f * *mine;
#ifdef FIXED
        fence_proxy_async(space_shared);
#endif
        __syncthreads();
        if (t == 0) {
            cp_async_bulk_tensor(space_global, space_shared, &out, begin, box);
            cp_async_bulk_commit_group();
            cp_async_bulk_wait_group_read(n32_t<0>());
        }
    }
}
