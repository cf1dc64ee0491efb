#include <cub/cub.cuh>

// Sums of x, float[n]; partial float[gridDim.x], one sum for each block of 256 threads.
extern "C" __global__ void sum_by_shuffles(const float* x, float* partial, int n) {
    __shared__ float of_warp[8];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float sum = i < n ? x[i] : 0.0f;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (lane == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();  // the first warp adds up what all warps found
    if (threadIdx.x < 32) {
        sum = lane < 8 ? of_warp[lane] : 0.0f;
        for (int step = 4; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
        if (lane == 0) partial[blockIdx.x] = sum;
    }
}

extern "C" __global__ void sum_by_cub(const float* x, float* partial, int n) {
    using Reduce = cub::BlockReduce<float, 256>;
    __shared__ typename Reduce::TempStorage storage;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float sum = Reduce(storage).Sum(i < n ? x[i] : 0.0f);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

extern "C" __global__ void scan_by_cub(const float* x, float* y, int n) {
    using Scan = cub::BlockScan<float, 256>;
    __shared__ typename Scan::TempStorage storage;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? x[i] : 0.0f;
    Scan(storage).InclusiveSum(value, value);
    if (i < n) y[i] = value;
}
