// clean: in a branch, all lanes of a tile or none
// launch: grid=1, block=64, x=ramp(64), out=zeros(64)
// expect: out = np.where(np.arange(64) // 8 % 2, 0, x.reshape(8, 8).sum(axis=1, keepdims=True).repeat(8, 1).ravel())
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void group_tile_collectives(const float* x, float* out) {
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    if (tile.meta_group_rank() % 2 == 0) {
        const float sum = cg::reduce(tile, x[threadIdx.x], cg::plus<float>());
        out[threadIdx.x] = tile.any(sum > 0.0f) ? sum : -1.0f;
    }
}
