// clean: a block reads its neighbour's tile and waits before it leaves
// launch: grid=4, block=64, x=noise(256), out=zeros(256)
// expect: out = x.reshape(2, 2, 64)[:, ::-1, ::-1]
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(2) group_cluster_exchange(const float* x, float* out) {
    __shared__ float tile[64];
    const cg::cluster_group cluster = cg::this_cluster();
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    tile[t] = x[i];
    cluster.sync();
    const float* other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    out[i] = other[63 - t];
    cluster.sync();
}
