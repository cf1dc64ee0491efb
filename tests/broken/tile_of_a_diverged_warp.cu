// shuffle_divergence on line 13: a tile's shuffle needs every lane of the tile, but the odd lanes take another branch
// launch: grid=1, block=32, x=noise(32), out=zeros(32)
// expect: out = np.where(np.arange(32) % 2, 0, x.reshape(4, 8)[:, :1].repeat(8, 1).ravel())
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void tile_of_a_diverged_warp(const float* x, float* out) {
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    float mine = 0.0f;
#ifdef FIXED
    const float first = tile.shfl(x[threadIdx.x], 0);
    if (threadIdx.x % 2 == 0) mine = first;
#else
    if (threadIdx.x % 2 == 0) mine = tile.shfl(x[threadIdx.x], 0);
#endif
    out[threadIdx.x] = mine;
}
