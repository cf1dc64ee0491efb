// data_race on line 38: block 1 arrives at an mbarrier of block 0, which may have ended after its last tile
// launch: grid=2, block=128, x=ramp(512), out=zeros(512), tiles=int32(4)
// expect: out = x.reshape(4, 128)[:, ::-1]
#include <cooperative_groups.h>
#include <cuda/ptx>
using namespace cuda::ptx;

// Block 0 of a cluster sends tiles of 128 elements to block 1, which reverses them.
extern "C" __global__ void __cluster_dims__(2)
    arrives_at_a_block_that_ended(const float* x, float* out, int tiles) {
    __shared__ float tile[128];
    __shared__ uint64_t full, empty;  // full belongs to block 1, empty to block 0
    const auto cluster = cooperative_groups::this_cluster();
    const int t = threadIdx.x;
    if (t == 0) {
        mbarrier_init(&full, 128);
        mbarrier_init(&empty, 128);
        fence_mbarrier_init(sem_release, scope_cluster);
    }
    cluster.sync();
    if (cluster.block_rank() == 0) {
        float* there = cluster.map_shared_rank(tile, 1);
        uint64_t* sent = cluster.map_shared_rank(&full, 1);
        for (int k = 0; k < tiles; k++) {
            while (!mbarrier_try_wait_parity(sem_acquire, scope_cluster, &empty, (k + 1) % 2)) {
                continue;
            }
            there[t] = x[128 * k + t];
            mbarrier_arrive(sem_release, scope_cluster, space_cluster, sent);
        }
    } else {
        uint64_t* taken = cluster.map_shared_rank(&empty, 0);
        for (int k = 0; k < tiles; k++) {
            while (!mbarrier_try_wait_parity(sem_acquire, scope_cluster, &full, k % 2)) continue;
            const int from = 127 - t;
            out[128 * k + t] = tile[from];
            // In the last round, block 0 waits for nothing.
            mbarrier_arrive(sem_release, scope_cluster, space_cluster, taken);
        }
    }
#ifdef FIXED
    cluster.sync();
#endif
}
