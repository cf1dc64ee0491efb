// Inclusive scan of one element per thread by Hillis and Steele: the distance doubles in each step.
//
//   x, y   float[blockDim.x], x only read, y written; y[t] = x[0] + ... + x[t]
//   grid   one block of at most 256 threads
extern "C" __global__ void doubling(const float* x, float* y) {
    __shared__ float tile[256];  // tile[t]: the sum that thread t has so far
    const int t = threadIdx.x;
    float sum = x[t];
    for (int offset = 1; offset < blockDim.x; offset *= 2) {
        tile[t] = sum;
        // BEGIN SOLUTION
        __syncthreads();  // the sums of this step are there
        // END SOLUTION
        if (t >= offset) sum += tile[t - offset];
        // BEGIN SOLUTION
        __syncthreads();  // every thread has read before any thread writes again
        // END SOLUTION
    }
    y[t] = sum;
}
