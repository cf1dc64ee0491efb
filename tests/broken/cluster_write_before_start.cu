// data_race on line 15: the other block of the cluster may not have started, so its memory does not exist yet
// launch: grid=4, block=32, x=ramp(128), out=zeros(128)
// expect: out = x.reshape(2, 2, 32)[:, ::-1]
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(2)
    cluster_write_before_start(const float* x, float* out) {
    __shared__ float tile[32];
    const cg::cluster_group cluster = cg::this_cluster();
    const int i = blockIdx.x * 32 + threadIdx.x;
#ifdef FIXED
    cluster.sync();
#endif
    float* const there = cluster.map_shared_rank(&tile[threadIdx.x], 1 - cluster.block_rank());
    *there = x[i];
    cluster.sync();
    out[i] = tile[threadIdx.x];
}
