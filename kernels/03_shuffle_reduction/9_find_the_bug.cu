// Sum of every row of a matrix, one block per row, for blocks of any size. One line is wrong.
//
//   x      float[gridDim.x][columns], only read; block r owns row r, its thread t owns elements
//          t, t + blockDim.x, t + 2 * blockDim.x, ...
//   total  float[gridDim.x], written; total[r] is the sum of row r
//   block  any number of threads, so the last warp may have fewer than 32 lanes

// The sum over a warp that has only `lanes` lanes. It is right in lane 0.
__device__ float warp_sum(float sum, int lanes) {
    const unsigned present = 0xffffffff >> (32 - lanes);  // one bit for each lane there is
    const int lane = threadIdx.x % 32;
    for (int offset = 16; offset > 0; offset /= 2) {
        const int from = lane + offset < lanes ? lane + offset : lane;
        const float other = __shfl_sync(present, sum, from);  // never from a lane that is not there
        if (from != lane) sum += other;
    }
    return sum;
}

extern "C" __global__ void find_the_bug(const float* x, float* total, int columns) {
    __shared__ float of_warp[32];  // of_warp[w]: the sum of warp w
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int lanes = min(32, blockDim.x - 32 * warp);  // lanes that this thread's warp has

    float sum = 0.0f;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += x[blockIdx.x * columns + c];

    sum = warp_sum(sum, lanes);
    if (lane == 0) of_warp[warp] = sum;
    __syncthreads();  // wait: warp 0 reads what other warps write

    if (warp == 0) {
        sum = warp_sum(threadIdx.x < (blockDim.x >> 5) ? of_warp[threadIdx.x] : 0.0f, lanes);
        if (threadIdx.x == 0) total[blockIdx.x] = sum;
    }
}
