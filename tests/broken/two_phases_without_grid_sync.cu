// data_race on line 19, with line 11: __syncthreads() waits for one block, but the second phase reads what all blocks have written
// launch: grid=4, block=64, cooperative=True, x=noise(256), partial=zeros(4), out=zeros(256)
// expect: out = x / np.abs(x).max()
#include <cooperative_groups.h>
extern "C" __global__ void two_phases_without_grid_sync(const float* x, float* partial,
                                                        float* out) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (threadIdx.x == 0) {
        float largest = 0.0f;
        for (int k = 0; k < 64; ++k) largest = fmaxf(largest, fabsf(x[i + k]));
        partial[blockIdx.x] = largest;
    }
#ifdef FIXED
    cooperative_groups::this_grid().sync();
#else
    __syncthreads();
#endif
    float largest = 0.0f;
    for (int b = 0; b < gridDim.x; ++b) largest = fmaxf(largest, partial[b]);
    out[i] = x[i] / largest;
}
