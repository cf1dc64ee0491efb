// clean: blocks of a cluster read and add in each other's shared memory, barriers around
// launch: grid=8, block=32, x=noise(256), out=zeros(8)
// expect: out = x.reshape(2, 128).sum(axis=1).repeat(4)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(4) group_cluster(const float* x, float* out) {
    __shared__ float sum, all;
    const cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) sum = 0.0f, all = 0.0f;
    cluster.sync();
    atomicAdd(&sum, x[blockIdx.x * 32 + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x < cluster.num_blocks())
        atomicAdd(cluster.map_shared_rank(&all, threadIdx.x), sum);
    cluster.sync();
    if (threadIdx.x == 0) out[blockIdx.x] = all;
}
