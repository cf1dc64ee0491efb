// Softmax along any axis of an array of any number of dimensions.
//
//   x, y     float[outer][length][inner]: the axes before the softmax axis, this axis, the axes
//            after it. Element (o, k, i) has the index (o * length + k) * inner + i.
//   grid     (outer, groups): block (o, c) owns the columns x[o][:][i] with i / blockDim.x == c
//   block    (across, along), powers of two, 256 threads in all: thread (j, k) of the block owns
//            elements k, k + along, k + 2 * along ... of the group's column j, if there is one
struct __align__(8) Pair {
    float max, sum;  // the largest x so far, and the sum of exp(x - max)
};

__device__ Pair merge(Pair a, Pair b) {
    const float max = fmaxf(a.max, b.max);
    const float from = max == -INFINITY ? 0.0f : max;  // both empty: -INFINITY - 0, and no NaN
    return {max, a.sum * expf(a.max - from) + b.sum * expf(b.max - from)};
}

extern "C" __global__ void softmax_axis(const float* x, float* y, int length, int inner) {
    __shared__ Pair tile[256];  // tile[k * across + j]: the pair of thread (j, k)
    const int across = blockDim.x, along = blockDim.y;
    const int i = blockIdx.y * across + threadIdx.x;  // which column; the last group may be narrow

    // Your turn: compute the pairs, merge them by a tree along k, write.
    // BEGIN SOLUTION
    const size_t column = static_cast<size_t>(blockIdx.x) * length * inner + i;  // x[o][0][i]
    const size_t step = inner;  // from an element to the next along the axis

    Pair mine = {-INFINITY, 0.0f};
    if (i < inner) {
        for (int k = threadIdx.y; k < length; k += along) {
            mine = merge(mine, {x[column + k * step], 1.0f});
        }
    }
    Pair* cell = &tile[threadIdx.y * across + threadIdx.x];
    *cell = mine;
    __syncthreads();  // the elements that are read next were written by other threads

    for (int stride = along / 2; stride > 0; stride /= 2) {
        if (threadIdx.y < stride) *cell = merge(*cell, cell[stride * across]);
        __syncthreads();  // this step's pairs are the next step's inputs
    }

    const Pair all = tile[threadIdx.x];
    if (i < inner) {
        for (int k = threadIdx.y; k < length; k += along) {
            y[column + k * step] = expf(x[column + k * step] - all.max) / all.sum;
        }
    }
    // END SOLUTION
}
