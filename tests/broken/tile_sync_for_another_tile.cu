// data_race on line 16, with line 10: tile.sync() waits for the eight threads of one tile, but the data is that of the next tile
// launch: grid=1, block=32, x=noise(32), out=zeros(32)
// expect: out = np.roll(x, -8)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void tile_sync_for_another_tile(const float* x, float* out) {
    __shared__ float cells[32];
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<8>(block);
    cells[threadIdx.x] = x[threadIdx.x];
#ifdef FIXED
    block.sync();
#else
    tile.sync();
#endif
    out[threadIdx.x] = cells[(threadIdx.x + 8) % 32];
}
