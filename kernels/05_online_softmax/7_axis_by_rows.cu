// Softmax along any axis, the threads of a block side by side along this axis.
//
//   x, y     float[outer][length][inner]: the axes before the softmax axis, this axis, the axes
//            after it. Element (o, k, i) has the index (o * length + k) * inner + i.
//   grid     (outer, inner): block (o, i) owns the column x[o][:][i]
//   block    256 threads: thread t owns elements t, t + 256, ... of that column
struct __align__(8) Pair {
    float max, sum;  // the largest x so far, and the sum of exp(x - max)
};

__device__ Pair merge(Pair a, Pair b) {
    const float max = fmaxf(a.max, b.max);
    const float from = max == -INFINITY ? 0.0f : max;  // both empty: -INFINITY - 0, and no NaN
    return {max, a.sum * expf(a.max - from) + b.sum * expf(b.max - from)};
}

extern "C" __global__ void axis_by_rows(const float* x, float* y, int length, int inner) {
    __shared__ Pair tile[256];  // tile[t]: first thread t's own pair, then the merged pairs
    const int thread = threadIdx.x;
    const size_t column = static_cast<size_t>(blockIdx.x) * length * inner + blockIdx.y;
    const size_t step = inner;  // from an element to the next along the axis

    Pair mine = {-INFINITY, 0.0f};
    for (int k = thread; k < length; k += 256) mine = merge(mine, {x[column + k * step], 1.0f});
    tile[thread] = mine;
    __syncthreads();  // the elements that are read next were written by other threads

    for (int stride = 128; stride > 0; stride /= 2) {
        if (thread < stride) {
            tile[thread] = merge(tile[thread], tile[thread + stride]);
        }
        __syncthreads();  // this step's pairs are the next step's inputs
    }

    const Pair all = tile[0];
    for (int k = thread; k < length; k += 256) {
        y[column + k * step] = expf(x[column + k * step] - all.max) / all.sum;
    }
}
