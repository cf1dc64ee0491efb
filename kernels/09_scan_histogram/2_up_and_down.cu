// Exclusive scan of one element per thread by Blelloch: up a tree of sums, and down again.
//
//   x, y   float[blockDim.x], x only read, y written; y[t] = x[0] + ... + x[t - 1], and y[0] = 0
//   grid   one block of 32, 64, 128 or 256 threads
extern "C" __global__ void up_and_down(const float* x, float* y) {
    __shared__ float tile[256];
    const int t = threadIdx.x;
    tile[t] = x[t];

    for (int apart = 1; apart < blockDim.x; apart *= 2) {
        const int right = 2 * apart * (t + 1) - 1;  // the right cell of pair number t
        __syncthreads();
        if (right < blockDim.x) tile[right] += tile[right - apart];
    }

    if (t == 0) tile[blockDim.x - 1] = 0.0f;  // nothing comes before the whole

    for (int apart = blockDim.x / 2; apart > 0; apart /= 2) {
        const int right = 2 * apart * (t + 1) - 1;
        const bool works = right < blockDim.x;
        // BEGIN SOLUTION
        __syncthreads();
        const float left = works ? tile[right - apart] : 0.0f;
        if (works) tile[right - apart] = tile[right];
        if (works) tile[right] += left;
        // END SOLUTION
    }
    __syncthreads();
    y[t] = tile[t];
}
