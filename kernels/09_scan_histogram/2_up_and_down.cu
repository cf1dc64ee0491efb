// Exclusive scan of one element per thread by Blelloch: an up-sweep and a down-sweep of a tree.
//
//   x, y   float[blockDim.x], x only read, y written; y[t] = x[0] + ... + x[t - 1], and y[0] = 0
//   grid   one block of 32, 64, 128 or 256 threads
extern "C" __global__ void up_and_down(const float* x, float* y) {
    __shared__ float tile[256];
    const int t = threadIdx.x;
    tile[t] = x[t];

    for (int offset = 1; offset < blockDim.x; offset *= 2) {
        const int right = 2 * offset * (t + 1) - 1;  // the right cell of pair number t
        __syncthreads();
        if (right < blockDim.x) tile[right] += tile[right - offset];
    }

    if (t == 0) tile[blockDim.x - 1] = 0.0f;  // there is nothing before the first element

    for (int offset = blockDim.x / 2; offset > 0; offset /= 2) {
        const int right = 2 * offset * (t + 1) - 1;
        const bool works = right < blockDim.x;
        // BEGIN SOLUTION
        __syncthreads();
        const float left = works ? tile[right - offset] : 0.0f;
        if (works) tile[right - offset] = tile[right];
        if (works) tile[right] += left;
        // END SOLUTION
    }
    __syncthreads();
    y[t] = tile[t];
}
