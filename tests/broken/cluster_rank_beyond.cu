// out_of_bounds on line 15: the last block of a cluster has no next one
// launch: grid=2, block=32, x=ramp(64), out=zeros(64)
// expect: out = np.roll(x, 32)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(2) cluster_rank_beyond(const float* x, float* out) {
    __shared__ float tile[32];
    const cg::cluster_group cluster = cg::this_cluster();
    tile[threadIdx.x] = x[blockIdx.x * 32 + threadIdx.x];
    cluster.sync();
    unsigned next = cluster.block_rank() + 1;
#ifdef FIXED
    next %= cluster.num_blocks();
#endif
    out[blockIdx.x * 32 + threadIdx.x] = *cluster.map_shared_rank(&tile[threadIdx.x], next);
    cluster.sync();
}
