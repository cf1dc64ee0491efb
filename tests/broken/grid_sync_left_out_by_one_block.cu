// timeout on line 11: one block returns, and the grid's barrier waits for it forever
// launch: grid=4, block=32, cooperative=True, x=noise(4), partial=zeros(4), out=zeros(4)
// expect: out = np.roll(x, 1)
#include <cooperative_groups.h>
extern "C" __global__ void grid_sync_left_out_by_one_block(const float* x, float* partial,
                                                           float* out) {
    if (threadIdx.x == 0) partial[blockIdx.x] = x[blockIdx.x];
#ifndef FIXED
    if (blockIdx.x == 3) return;
#endif
    cooperative_groups::this_grid().sync();
    if (threadIdx.x == 0) out[blockIdx.x] = partial[(blockIdx.x + 3) % 4];
}
