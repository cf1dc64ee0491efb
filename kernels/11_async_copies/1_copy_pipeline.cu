// Sums of columns: x has 128 columns, and each block adds `rows` of its rows.
//
//   x      float[gridDim.x * rows * 128], only read; begins at a multiple of 16 bytes
//   y      float[gridDim.x * 128], written; y[128 * b + c] is the sum of column c in block b's rows
//   rows   a multiple of 8
//   block  128 threads, one per column
#include <cuda_pipeline.h>

// Issues copies of the 8 rows at `from` into `tile`: each thread copies two packs of 16 bytes.
__device__ void copy_tile(float* tile, const float* from) {
    for (int p = threadIdx.x; p < 256; p += 128) {
        __pipeline_memcpy_async(tile + 4 * p, from + 4 * p, 16);
    }
}

extern "C" __global__ void copy_pipeline(const float* x, float* y, int rows) {
    __shared__ __align__(16) float tile[3][8 * 128];  // three stages
    const int t = threadIdx.x, tiles = rows / 8;
    const float* from = x + (size_t)blockIdx.x * rows * 128;  // tile k begins at from + 1024 * k
    float sum = 0.0f;
    // Your turn: copies of the next two tiles are in flight while the thread adds those of this one.
    // BEGIN SOLUTION
    for (int k = 0; k < 2; k++) {
        if (k < tiles) copy_tile(tile[k], from + 1024 * k);
        __pipeline_commit();
    }
    for (int k = 0; k < tiles; k++) {
        __pipeline_wait_prior(1);  // this thread's copies of tile k have arrived
        __syncthreads();           // those of all threads, and all have used tile k - 1
        if (k + 2 < tiles) copy_tile(tile[(k + 2) % 3], from + 1024 * (k + 2));
        __pipeline_commit();  // in the last rounds an empty group, so that the count stays right
        for (int r = 0; r < 8; r++) sum += tile[k % 3][128 * r + t];
    }
    // END SOLUTION
    y[128 * blockIdx.x + t] = sum;
}
