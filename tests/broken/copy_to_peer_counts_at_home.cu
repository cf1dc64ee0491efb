// timeout on line 36: the copy to block 1 counts its bytes at the mbarrier of block 0
// launch: grid=2, block=128, x=ramp(128), out=zeros(128)
// expect: out = x[::-1]
#include <cooperative_groups.h>
#include <cuda/ptx>
using namespace cuda::ptx;

// Block 0 of a cluster sends a tile to block 1, which reverses it.
extern "C" __global__ void __cluster_dims__(2)
    copy_to_peer_counts_at_home(const float* x, float* out) {
    __shared__ alignas(16) float source[128], target[128];
    __shared__ uint64_t full;
    const auto cluster = cooperative_groups::this_cluster();
    const int t = threadIdx.x, rank = cluster.block_rank();
    if (t == 0) {
        mbarrier_init(&full, 1);
        fence_mbarrier_init(sem_release, scope_cluster);
    }
    source[t] = x[t];
    fence_proxy_async(space_shared);
    cluster.sync();
    if (t == 0 && rank == 1) {
        mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full, 512);
    }
    if (t == 0 && rank == 0) {
        float* there = cluster.map_shared_rank(target, 1);
#ifdef FIXED
        uint64_t* counter = cluster.map_shared_rank(&full, 1);
#else
        uint64_t* counter = &full;
#endif
        cp_async_bulk(space_cluster, space_shared, there, source, 512, counter);
    }
    if (rank == 1) {
        // The bytes never come.
        while (!mbarrier_try_wait_parity(&full, 0)) continue;
        out[t] = target[127 - t];
    }
    cluster.sync();
}
