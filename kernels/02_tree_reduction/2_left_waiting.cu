// Sum of 64 numbers by a block of 64 threads, folded in half again and again.
//
//   x      float[64], only read
//   total  float[1], written
extern "C" __global__ void left_waiting(const float* x, float* total) {
    __shared__ float tile[64];
    const int thread = threadIdx.x;
    tile[thread] = x[thread];
    __syncthreads();
    for (int stride = 32; stride > 0; stride /= 2) {
        // BEGIN SOLUTION
        if (thread < stride) {
            tile[thread] += tile[thread + stride];
            __syncthreads();
        }
        // END SOLUTION
    }
    if (thread == 0) *total = tile[0];
}
