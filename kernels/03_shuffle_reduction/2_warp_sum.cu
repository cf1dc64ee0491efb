// Every warp adds up its own 32 elements, without shared memory and without a barrier.
//
//   x      float[n], only read; thread i of the whole grid owns x[i], if there is one
//   total  float[n / 32, rounded up], written; total[w] is the sum of warp w's elements
//   block  whole warps: a multiple of 32 threads
extern "C" __global__ void warp_sum(const float* x, float* total, int n) {
    const unsigned full_mask = 0xffffffff;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;

    float sum = i < n ? x[i] : 0.0f;  // past the end: 0, and the lane still takes part

    // Your loop: leave the sum of the warp's 32 values in lane 0.
    // BEGIN SOLUTION
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(full_mask, sum, offset);
    }
    // END SOLUTION

    if (lane == 0 && i < n) total[i / 32] = sum;
}
