// Softmax of every row of a matrix, one block per row at a time, in three passes over the row.
//
//   x      float[rows][columns], only read; block b owns rows b, b + gridDim.x, b + 2 * gridDim.x...
//          and its thread t owns elements t, t + blockDim.x, t + 2 * blockDim.x, ... of such a row
//   y      float[rows][columns], written; y[r][c] by the thread that owns x[r][c]
//   block  whole warps: a multiple of 32 threads, at most 1024
__device__ float add(float a, float b) {
    return a + b;
}

// Combines the values of the 32 lanes; every lane gets the result.
template <float (*combine)(float, float)>
__device__ float warp_all_reduce(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value = combine(value, __shfl_xor_sync(0xffffffff, value, offset));
    }
    return value;
}

// Combines the values of all threads; all get the result. Two barriers: call it as often as needed.
template <float (*combine)(float, float)>
__device__ float block_all_reduce(float value, float identity, float* of_warp) {
    const int lane = threadIdx.x % 32;
    value = warp_all_reduce<combine>(value);
    __syncthreads();  // wait until all threads have read of_warp in the call before
    if (lane == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();  // wait until all warps have written of_warp in this call
    return warp_all_reduce<combine>(lane < blockDim.x / 32 ? of_warp[lane] : identity);
}

extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
    __shared__ float of_warp[32];  // one element for each warp that a block can have

    // Your turn: the whole kernel. All threads of a block must take part in both reductions.
    // BEGIN SOLUTION
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* in = x + static_cast<size_t>(row) * columns;
        float* out = y + static_cast<size_t>(row) * columns;

        float largest = -INFINITY;
        for (int c = threadIdx.x; c < columns; c += blockDim.x) largest = fmaxf(largest, in[c]);
        largest = block_all_reduce<fmaxf>(largest, -INFINITY, of_warp);

        float sum = 0.0f;
        for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += expf(in[c] - largest);
        sum = block_all_reduce<add>(sum, 0.0f, of_warp);

        for (int c = threadIdx.x; c < columns; c += blockDim.x) {
            out[c] = expf(in[c] - largest) / sum;
        }
    }
    // END SOLUTION
}
