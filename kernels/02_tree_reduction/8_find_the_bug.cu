// Maximum of each block's part of x. One line is wrong, though every answer is right.
//
//   x        float[n], only read; thread t of block b owns x[b * blockDim.x + t], if there is one
//   partial  float[gridDim.x], written; the largest of block b's elements, -INFINITY if it has none
//   block    a power of two, at most 256 threads
extern "C" __global__ void find_the_bug(const float* x, float* partial, int n) {
    __shared__ float tile[256];  // tile[t]: the largest value so far in the cell of thread t
    const int thread = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + thread;

    tile[thread] = i < n ? x[i] : -INFINITY;

    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        __syncthreads();  // everything this step reads has been written
        const float other = tile[thread + stride];
        __syncthreads();  // all threads have read before any thread writes
        if (thread < stride) {
            tile[thread] = fmaxf(tile[thread], other);
        }
    }

    if (thread == 0) partial[blockIdx.x] = tile[0];
}
