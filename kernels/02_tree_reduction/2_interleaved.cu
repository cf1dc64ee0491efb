// Interleaved reduction: add the upper half of the cells to the lower half. Repeat with this half.
//
//   x        float[n], only read; thread t of block b owns x[b * blockDim.x + t]
//   partial  float[gridDim.x], written; partial[b] is the sum of block b's part
//   block    a power of two, 32 to 256 threads
extern "C" __global__ void interleaved(const float* x, float* partial, int n) {
    __shared__ float tile[256];  // tile[t] is the cell of thread t: its sum so far
    const int thread = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + thread;

    tile[thread] = i < n ? x[i] : 0.0f;  // past the end: 0, which changes no sum
    __syncthreads();                     // wait: the next step reads cells of other threads

    // Your loop: leave the sum of all blockDim.x cells in tile[0].
    // BEGIN SOLUTION
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            tile[thread] += tile[thread + stride];
        }
        __syncthreads();  // outside the if: every thread of the block must arrive
    }
    // END SOLUTION

    if (thread == 0) partial[blockIdx.x] = tile[0];
}
