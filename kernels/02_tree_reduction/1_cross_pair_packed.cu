// Cross-pair reduction, packed: the same additions, done by the lowest threads.
//
//   x        float[n], only read; thread t of block b loads x[b * blockDim.x + t]
//   partial  float[gridDim.x], written; partial[b] is the sum of block b's part
//   block    a power of two, at most 256 threads
//
// Thread t does not add into cell t: it adds the t-th pair of the step.
extern "C" __global__ void cross_pair_packed(const float* x, float* partial, int n) {
    __shared__ float tile[256];  // tile[c]: the sum so far in cell c
    const int thread = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + thread;

    tile[thread] = i < n ? x[i] : 0.0f;  // past the end: 0, which changes no sum
    __syncthreads();                     // wait: the next step reads cells of other threads

    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        const int cell = 2 * stride * thread;  // the left cell of this step's t-th pair
        if (cell < blockDim.x) {
            tile[cell] += tile[cell + stride];
        }
        __syncthreads();  // this step's sums are the next step's inputs
    }

    if (thread == 0) partial[blockIdx.x] = tile[0];
}
