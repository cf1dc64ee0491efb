// Row softmax in two passes, the pairs of a block merged by CUB.
//
//   x        float[rows][columns], only read; block r owns row r, thread t its elements t, t + 256...
//   y        float[rows][columns], written; every row of y adds up to 1
//   block    256 threads; one block per row
//
// BlockReduce takes any type and any associative operation; it returns the result in thread 0, and
// an unspecified value in all other threads.
#include <cub/block/block_reduce.cuh>

struct __align__(8) Pair {
    float max, sum;  // the largest x so far, and the sum of exp(x - max)
};

struct Merge {
    __device__ Pair operator()(Pair a, Pair b) const {
        const float max = fmaxf(a.max, b.max);
        const float from = max == -INFINITY ? 0.0f : max;  // both empty: -INFINITY - 0, and no NaN
        return {max, a.sum * expf(a.max - from) + b.sum * expf(b.max - from)};
    }
};

extern "C" __global__ void online_cub(const float* x, float* y, int columns) {
    using Reduce = cub::BlockReduce<Pair, 256>;
    __shared__ Reduce::TempStorage scratch;
    __shared__ Pair all;  // the row's pair, for every thread to read
    const size_t start = static_cast<size_t>(blockIdx.x) * columns;  // beyond an int for large x
    const float* row = x + start;

    Pair mine = {-INFINITY, 0.0f};  // of no elements
    for (int i = threadIdx.x; i < columns; i += 256) mine = Merge()(mine, {row[i], 1.0f});

    const Pair total = Reduce(scratch).Reduce(mine, Merge());
    if (threadIdx.x == 0) all = total;
    __syncthreads();  // only thread 0 has the result; now all threads may read it

    for (int i = threadIdx.x; i < columns; i += 256) {
        y[start + i] = expf(row[i] - all.max) / all.sum;
    }
}
