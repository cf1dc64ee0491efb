// timeout on line 33: only block 0 of the cluster tells its mbarrier about the bytes, and block 1 waits without end
// launch: grid=4, block=128, w=ramp(128), x=noise(512), out=zeros(512)
// expect: out = w * x.reshape(4, 128)
#include <cooperative_groups.h>
#include <cuda/ptx>
using namespace cuda::ptx;

// out = w * x in each tile of 128 elements. One multicast brings w to both blocks of a cluster.
extern "C" __global__ void __cluster_dims__(2)
    multicast_expected_by_the_leader(const float* w, const float* x, float* out) {
    __shared__ alignas(16) float weights[128];
    __shared__ uint64_t full;
    const auto cluster = cooperative_groups::this_cluster();
    const int t = threadIdx.x, rank = cluster.block_rank(), i = 128 * blockIdx.x + t;
    const uint16_t both = 3;
    if (t == 0) {
        mbarrier_init(&full, 1);
        fence_mbarrier_init(sem_release, scope_cluster);
    }
    cluster.sync();
#ifdef FIXED
    if (t == 0) {
        mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full, 512);
        if (rank == 0) cp_async_bulk(space_cluster, space_global, weights, w, 512, &full, both);
    }
#else
    if (t == 0 && rank == 0) {
        mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full, 512);
        cp_async_bulk(space_cluster, space_global, weights, w, 512, &full, both);
    }
#endif
    // Each block waits at its own mbarrier.
    while (!mbarrier_try_wait_parity(&full, 0)) continue;
    out[i] = weights[t] * x[i];
    cluster.sync();
}
