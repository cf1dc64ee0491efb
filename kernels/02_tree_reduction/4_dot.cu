// Dot product: each thread adds its products, then every block adds up the sums of its threads.
//
//   x, y     float[n], only read; thread t of the whole grid owns elements t, t + T, t + 2T, ...
//            where T = gridDim.x * blockDim.x is the number of threads in the grid
//   partial  float[gridDim.x], written; the part of the dot product that block b's threads own
//   block    a power of two, 32 to 256 threads
extern "C" __global__ void dot(const float* x, const float* y, float* partial, int n) {
    // tile[t]: at first the sum of thread t, later the sum so far in its cell of the tree
    __shared__ float tile[256];
    const int thread = threadIdx.x;

    // Your turn: add up this thread's products in a register, then fold the block's sums.
    // BEGIN SOLUTION
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + thread; i < n; i += gridDim.x * blockDim.x) {
        sum += x[i] * y[i];
    }
    tile[thread] = sum;
    __syncthreads();  // after the loop, whose length differs from thread to thread

    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            tile[thread] += tile[thread + stride];
        }
        __syncthreads();  // outside the if: every thread of the block must arrive
    }
    // END SOLUTION

    if (thread == 0) partial[blockIdx.x] = tile[0];
}
