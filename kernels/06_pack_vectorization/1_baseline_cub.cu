// Divide each row by its largest |x|. Step 1: one block per row, CUB finds the maximum.
//
//   x     float[rows, columns], only read; block b owns row b
//   y     float[rows, columns], written: x / largest |x| of the row; NaN ignored, zeros stay 0
//   grid  as many blocks as rows;  block  128 threads
#include <cub/cub.cuh>

struct Larger {
    __device__ float operator()(float a, float b) const {
        return fmaxf(a, b);
    }
};

extern "C" __global__ void baseline_cub(const float* x, float* y, int columns) {
    using BlockReduce = cub::BlockReduce<float, 128>;
    __shared__ BlockReduce::TempStorage storage;
    __shared__ float scale;
    const size_t row = blockIdx.x;
    const float* from = x + row * columns;
    float* to = y + row * columns;

    float largest = 0.0f;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        largest = fmaxf(largest, fabsf(from[c]));
    }

    largest = BlockReduce(storage).Reduce(largest, Larger());
    if (threadIdx.x == 0) {  // only thread 0 has CUB's result
        scale = largest > 0.0f ? largest : 1.0f;
    }
    __syncthreads();  // now all threads may read the scale that thread 0 wrote

    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        to[c] = from[c] / scale;
    }
}
