// Row softmax in two passes, the pairs of a block merged by a tree in shared memory.
//
//   x        float[rows][columns], only read; block r owns row r, thread t its elements t, t + 256...
//   y        float[rows][columns], written; every row of y adds up to 1
//   block    256 threads; one block per row
//
// The first pass finds maximum and sum together, so the second pass writes the output.
struct __align__(8) Pair {
    float max, sum;  // the largest x so far, and the sum of exp(x - max)
};

__device__ Pair merge(Pair a, Pair b) {
    const float max = fmaxf(a.max, b.max);
    const float from = max == -INFINITY ? 0.0f : max;  // both empty: -INFINITY - 0, and no NaN
    return {max, a.sum * expf(a.max - from) + b.sum * expf(b.max - from)};
}

extern "C" __global__ void online_tree(const float* x, float* y, int columns) {
    __shared__ Pair tile[256];  // tile[t]: first thread t's own pair, then the merged pairs
    const int thread = threadIdx.x;
    const size_t start = static_cast<size_t>(blockIdx.x) * columns;  // beyond an int for large x
    const float* row = x + start;

    Pair mine = {-INFINITY, 0.0f};  // of no elements
    for (int i = thread; i < columns; i += 256) {
        const Pair one = {row[i], 1.0f};  // of one element: exp(x - x) is 1
        mine = merge(mine, one);
    }
    tile[thread] = mine;
    __syncthreads();  // the elements that are read next were written by other threads

    for (int stride = 128; stride > 0; stride /= 2) {
        if (thread < stride) {
            tile[thread] = merge(tile[thread], tile[thread + stride]);
        }
        __syncthreads();  // this step's pairs are the next step's inputs
    }

    const Pair all = tile[0];
    for (int i = thread; i < columns; i += 256) y[start + i] = expf(row[i] - all.max) / all.sum;
}
