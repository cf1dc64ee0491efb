// Reverses each tile of 256 elements: y[first + t] = x[first + 255 - t]. One tile per block.
//
//   x, y   float[256 * gridDim.x]; x is only read, y is written
//   block  256 threads
#include <cuda_pipeline.h>

extern "C" __global__ void reverse_tiles(const float* x, float* y) {
    __shared__ float tile[256];
    const int t = threadIdx.x, first = 256 * blockIdx.x;
    __pipeline_memcpy_async(&tile[t], &x[first + t], sizeof(float));
    __pipeline_commit();
    // BEGIN SOLUTION
    __pipeline_wait_prior(0);
    // END SOLUTION
    __syncthreads();
    y[first + t] = tile[255 - t];
}
