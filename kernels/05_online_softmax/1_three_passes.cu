// Row softmax in three passes: the largest element, the sum, the output.
//
//   x        float[rows][columns], only read; block r owns row r, thread t its elements t, t + 256...
//   y        float[rows][columns], written; every row of y adds up to 1
//   block    256 threads; one block per row
//
// Each pass needs the result of the pass before, so each reads the whole row.
struct Larger {
    __device__ float operator()(float a, float b) const {
        return fmaxf(a, b);
    }
};
struct Plus {
    __device__ float operator()(float a, float b) const {
        return a + b;
    }
};

// Combines the values of the 256 threads with op; every thread gets the result.
template <class Op>
__device__ float block_all_reduce(float value, Op op) {
    __shared__ float tile[256];
    tile[threadIdx.x] = value;
    __syncthreads();  // the elements that are read next were written by other threads
    for (int stride = 128; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            tile[threadIdx.x] = op(tile[threadIdx.x], tile[threadIdx.x + stride]);
        }
        __syncthreads();  // this step's results are the next step's inputs
    }
    return tile[0];
}

extern "C" __global__ void three_passes(const float* x, float* y, int columns) {
    const size_t start = static_cast<size_t>(blockIdx.x) * columns;  // beyond an int for large x
    const float* row = x + start;

    float largest = -INFINITY;
    for (int i = threadIdx.x; i < columns; i += 256) largest = fmaxf(largest, row[i]);
    largest = block_all_reduce(largest, Larger());

    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += 256) sum += expf(row[i] - largest);
    sum = block_all_reduce(sum, Plus());

    for (int i = threadIdx.x; i < columns; i += 256) y[start + i] = expf(row[i] - largest) / sum;
}
