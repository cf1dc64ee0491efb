// Sum of x by two launches of this kernel.
//
//   x        float[n], only read; thread t of the whole grid owns elements t, t + T, t + 2T, ...
//            where T = gridDim.x * blockDim.x is the number of threads in the grid
//   partial  float[gridDim.x], written; the sum of the elements that block b's threads own
//   block    a power of two, at most 256 threads
//
// First launch: many blocks, one partial sum per block. Second launch: one block adds up these sums.
// No barrier works across blocks, but the second launch begins after the first has ended.
extern "C" __global__ void grid_sum(const float* x, float* partial, int n) {
    // tile[t]: at first the sum of thread t, later the sum so far in its cell of the tree
    __shared__ float tile[256];
    const int thread = threadIdx.x;

    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + thread; i < n; i += gridDim.x * blockDim.x) {
        sum += x[i];
    }
    tile[thread] = sum;
    __syncthreads();  // after the loop, whose length differs from thread to thread

    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            tile[thread] += tile[thread + stride];
        }
        __syncthreads();  // outside the if: every thread of the block must arrive
    }

    if (thread == 0) partial[blockIdx.x] = tile[0];
}
