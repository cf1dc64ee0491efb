// Cross-pair reduction: every block adds up its own part of x.
//
//   x        float[n], only read; thread t of block b owns x[b * blockDim.x + t]
//   partial  float[gridDim.x], written; partial[b] is the sum of block b's part
//   block    a power of two, at most 256 threads
//
// Cells form pairs: first 1 apart, then 2, then 4. This distance, the stride, doubles at each step.
// The left cell of a pair gets the sum. If this is tile[t], thread t adds.
extern "C" __global__ void cross_pair(const float* x, float* partial, int n) {
    __shared__ float tile[256];  // tile[t] is the cell of thread t: its sum so far
    const int thread = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + thread;

    tile[thread] = i < n ? x[i] : 0.0f;  // past the end: 0, which changes no sum
    __syncthreads();                     // wait: the next step reads cells of other threads

    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        if (thread % (2 * stride) == 0) {
            tile[thread] += tile[thread + stride];
        }
        __syncthreads();  // this step's sums are the next step's inputs
    }

    if (thread == 0) partial[blockIdx.x] = tile[0];
}
