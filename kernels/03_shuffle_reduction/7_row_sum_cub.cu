// Sum of every row of a matrix, one block per row: by CUB, the library that comes with CUDA.
//
//   x      float[gridDim.x][columns], only read; block r owns row r, its thread t owns elements
//          t, t + blockDim.x, t + 2 * blockDim.x, ...
//   total  float[gridDim.x], written; total[r] is the sum of row r
//   block  exactly 256 threads: CUB must know the number when the kernel is compiled
#include <cub/block/block_reduce.cuh>

extern "C" __global__ void row_sum_cub(const float* x, float* total, int columns) {
    using BlockReduce = cub::BlockReduce<float, 256>;
    __shared__ typename BlockReduce::TempStorage storage;  // what `of_warp` was for us
    const float* row = x + static_cast<size_t>(blockIdx.x) * columns;

    float sum = 0.0f;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += row[c];

    sum = BlockReduce(storage).Sum(sum);
    if (threadIdx.x == 0) total[blockIdx.x] = sum;  // in thread 0 alone it is the row's sum
}
