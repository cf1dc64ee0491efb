// y = w * x in each tile of 1,024 elements, with the same weights w for all tiles. A cluster has four
// blocks, and each block has one tile.
//
//   w      float[1024], only read; begins at a multiple of 16 bytes
//   x, y   float[1024 * gridDim.x]; x is only read, y is written
//   block  256 threads; gridDim.x is a multiple of 4
#include <cooperative_groups.h>
#include <cuda/ptx>
using namespace cuda::ptx;

extern "C" __global__ void __cluster_dims__(4)
    shared_weights(const float* w, const float* x, float* y) {
    __shared__ __align__(16) float weights[1024];
    __shared__ uint64_t full;
    const auto cluster = cooperative_groups::this_cluster();
    const int t = threadIdx.x, rank = cluster.block_rank();  // rank: 0 to 3
    if (t == 0) mbarrier_init(&full, 1);
    if (t == 0) fence_mbarrier_init(sem_release, scope_cluster);
    cluster.sync();  // the mbarriers of all four blocks are set up
    if (t == 0) {
        mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full, 4096);
        // BEGIN SOLUTION
        if (rank == 0) {
            cp_async_bulk(space_cluster, space_global, weights, w, 4096, &full);
            while (!mbarrier_try_wait_parity(&full, 0)) continue;
            for (int b = 1; b < 4; b++) {
                cp_async_bulk(space_cluster, space_shared, cluster.map_shared_rank(weights, b),
                              weights, 4096, cluster.map_shared_rank(&full, b));
            }
        }
        // END SOLUTION
    }
    while (!mbarrier_try_wait_parity(&full, 0)) continue;
    const size_t first = (size_t)1024 * blockIdx.x;
    for (int i = t; i < 1024; i += 256) y[first + i] = weights[i] * x[first + i];
    cluster.sync();  // no block ends before the copies from its shared memory have ended
}
