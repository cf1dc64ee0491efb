// Inclusive and exclusive scan of each block's part of x, by shuffles.
//
//   x          float[n], only read; thread t of block b owns x[b * blockDim.x + t], if there is one
//   inclusive  float[n], written; the sum of the block's elements up to this one
//   exclusive  float[n], written; the sum of the block's elements before this one, 0 for the first
//   block      whole warps, 32 to 1,024 threads
extern "C" __global__ void block_scan(const float* x, float* inclusive, float* exclusive, int n) {
    __shared__ float of_warp[32];  // of_warp[w]: the sum of warp w
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float value = i < n ? x[i] : 0.0f;

    // Your turn: a scan of the warp, the sums of the warps before it, and both results.
    // BEGIN SOLUTION
    float sum = value;
    for (int offset = 1; offset < 32; offset *= 2) {
        const float below = __shfl_up_sync(~0u, sum, offset);
        if (lane >= offset) sum += below;
    }
    float before = __shfl_up_sync(~0u, sum, 1);  // a difference would spoil infinities
    if (lane == 0) before = 0.0f;

    if (lane == 31) of_warp[warp] = sum;
    __syncthreads();  // every warp reads what all others have written
    float total = lane < warp ? of_warp[lane] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) {
        total += __shfl_xor_sync(~0u, total, offset);
    }

    if (i < n) {
        inclusive[i] = total + sum;
        exclusive[i] = total + before;
    }
    // END SOLUTION
}
