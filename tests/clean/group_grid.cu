// clean: phases of a cooperative launch read what other blocks have written
// launch: grid=8, block=64, cooperative=True, x=noise(512), sums=zeros(8), out=zeros(512)
// expect: out = x / x.sum()
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void group_grid(const float* x, float* sums, float* out) {
    const cg::grid_group grid = cg::this_grid();
    const cg::thread_block block = cg::this_thread_block();
    __shared__ float tile[64];
    const int t = block.thread_rank();
    tile[t] = x[grid.thread_rank()];
    block.sync();
    for (int stride = 32; stride > 0; stride /= 2) {
        if (t < stride) tile[t] += tile[t + stride];
        block.sync();
    }
    if (t == 0) sums[blockIdx.x] = tile[0];
    grid.sync();
    float total = 0.0f;
    for (int b = 0; b < gridDim.x; ++b) total += sums[b];
    out[grid.thread_rank()] = x[grid.thread_rank()] / total;
}
