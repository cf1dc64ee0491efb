// Maximum of each block's part of x, for any length.
//
//   x        float[n], only read; thread t of block b owns x[b * blockDim.x + t], if there is one
//   partial  float[gridDim.x], written; the largest of block b's elements, -INFINITY if it has none
//   block    a power of two, 32 to 256 threads
extern "C" __global__ void block_max(const float* x, float* partial, int n) {
    __shared__ float tile[256];  // tile[t]: the largest value so far in the cell of thread t
    const int thread = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + thread;

    // Your turn: fill the tile, then fold it. What must a thread past the end put into its cell?
    // BEGIN SOLUTION
    tile[thread] = i < n ? x[i] : -INFINITY;  // the identity of max: it never wins
    __syncthreads();                          // wait: the next step reads cells of other threads

    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            tile[thread] = fmaxf(tile[thread], tile[thread + stride]);
        }
        __syncthreads();  // outside the if: every thread of the block must arrive
    }
    // END SOLUTION

    if (thread == 0) partial[blockIdx.x] = tile[0];
}
