// clean: tiles of a warp meet on their own, each through its own cells
// launch: grid=1, block=96, x=noise(96), out=zeros(96)
// expect: out = x.reshape(-1, WIDTH)[:, ::-1]
// each: WIDTH = 1, 2, 4, 8, 16, 32
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void group_tiles(const float* x, float* out) {
    __shared__ float cells[96];
    const auto tile = cg::tiled_partition<WIDTH>(cg::this_thread_block());
    float* mine = cells + threadIdx.x / WIDTH * WIDTH;
    mine[tile.thread_rank()] = x[threadIdx.x];
    tile.sync();
    out[threadIdx.x] = mine[WIDTH - 1 - tile.thread_rank()];
}
