// clean: lanes of equal label form groups of unequal size
// launch: grid=1, block=32, label=dice(32, 5), out=zeros(32, int32)
// expect: out = np.bincount(label)[label]
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void group_by_label(const int* label, int* out) {
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const auto alike = cg::labeled_partition(tile, label[threadIdx.x]);
    out[threadIdx.x] = alike.size();
}
