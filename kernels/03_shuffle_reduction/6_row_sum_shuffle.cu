// Sum of every row of a matrix, one block per row. Each warp folds; then warp 0 folds their sums.
//
//   x      float[gridDim.x][columns], only read; block r owns row r, its thread t owns elements
//          t, t + blockDim.x, t + 2 * blockDim.x, ...
//   total  float[gridDim.x], written; total[r] is the sum of row r
//   block  whole warps: a multiple of 32 threads
__device__ float warp_sum(float sum) {
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    return sum;  // right in lane 0
}

extern "C" __global__ void row_sum_shuffle(const float* x, float* total, int columns) {
    __shared__ float of_warp[32];  // of_warp[w]: the sum of warp w; a block has at most 32 warps
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const float* row = x + static_cast<size_t>(blockIdx.x) * columns;

    float sum = 0.0f;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += row[c];

    sum = warp_sum(sum);
    if (lane == 0) of_warp[warp] = sum;
    __syncthreads();  // wait: warp 0 reads what other warps write

    if (warp == 0) {  // all 32 lanes of it, so that they can shuffle
        const int warps = blockDim.x / 32;
        sum = warp_sum(lane < warps ? of_warp[lane] : 0.0f);
        if (lane == 0) total[blockIdx.x] = sum;
    }
}
