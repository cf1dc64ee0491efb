// The sum and the largest of a block's elements, one reduction after the other, in one array.
//
//   x      float[blockDim.x], only read
//   found  float[2], written: the sum, and the largest
//   block  whole warps, at most 1,024 threads
extern "C" __global__ void sum_and_largest(const float* x, float* found) {
    __shared__ float of_warp[32];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int warps = blockDim.x / 32;
    float sum = x[threadIdx.x];
    float largest = sum;
    for (int apart = 16; apart > 0; apart /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, apart);
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, apart));
    }
    if (lane == 0) of_warp[warp] = sum;
    // BEGIN SOLUTION
    __syncthreads();  // all warps have left their sums
    // END SOLUTION
    if (threadIdx.x == 0) {
        float all = 0.0f;
        for (int w = 0; w < warps; w++) all += of_warp[w];
        found[0] = all;
    }
    // BEGIN SOLUTION
    __syncthreads();  // the sums have been read
    // END SOLUTION
    if (lane == 0) of_warp[warp] = largest;
    // BEGIN SOLUTION
    __syncthreads();  // all warps have left their largest
    // END SOLUTION
    if (threadIdx.x == 0) {
        float best = of_warp[0];
        for (int w = 1; w < warps; w++) best = fmaxf(best, of_warp[w]);
        found[1] = best;
    }
}
