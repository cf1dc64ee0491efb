// Inclusive scan of x in one pass: each block looks back for the sum of all tiles before its own.
//
//   x, y           float[n], x only read, y written; y[i] = x[0] + ... + x[i]
//   own, up_to     float[gridDim.x], written; the sum of tile b, and of all tiles up to b
//   state          unsigned int[gridDim.x], 0 before the launch, and 0 again after it;
//                  1: own[b] is there; 2: up_to[b] is there
//   counts         unsigned int[2], 0 before the launch, and 0 again after it; how many tiles are
//                  taken, and how many are finished
//   grid           at most 16 blocks of whole warps, 32 to 256 threads, a thread per element or more

// Inclusive scan of one value per thread; of_warp[w] becomes the sum of warp w.
__device__ float block_scan(float sum, float* of_warp) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int offset = 1; offset < 32; offset *= 2) {
        const float below = __shfl_up_sync(~0u, sum, offset);
        if (lane >= offset) sum += below;
    }
    if (lane == 31) of_warp[warp] = sum;
    __syncthreads();
    float total = lane < warp ? of_warp[lane] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) total += __shfl_xor_sync(~0u, total, offset);
    return total + sum;
}

// One thread per block calls this: publishes `sum` of this tile, returns the sum of all tiles before.
__device__ float look_back(int tile, float sum, float* own, float* up_to,
                           volatile unsigned int* state) {
    // BEGIN SOLUTION
    own[tile] = sum;
    __threadfence();  // the sum is there before its state says so
    state[tile] = 1;
    float before = 0.0f;
    for (int b = tile - 1; b >= 0; b--) {
        unsigned int seen;
        do {
            seen = state[b];
        } while (seen == 0);
        __threadfence();  // the sum is no older than its state
        before += seen == 2 ? up_to[b] : own[b];
        if (seen == 2) break;
    }
    up_to[tile] = before + sum;
    __threadfence();
    state[tile] = 2;
    return before;
    // END SOLUTION
}

extern "C" __global__ void scan_grid(const float* x, float* y, float* own, float* up_to,
                                     unsigned int* state, unsigned int* counts, int n) {
    __shared__ float of_warp[32], before;
    __shared__ int tile;
    if (threadIdx.x == 0) tile = atomicAdd(&counts[0], 1);  // all tiles before it have begun
    __syncthreads();
    const int i = tile * blockDim.x + threadIdx.x;
    const float sum = block_scan(i < n ? x[i] : 0.0f, of_warp);
    if (threadIdx.x == blockDim.x - 1) before = look_back(tile, sum, own, up_to, state);
    __syncthreads();
    if (i < n) y[i] = before + sum;

    if (threadIdx.x > 0) return;
    __threadfence();  // this block reads no state any more
    if (atomicAdd(&counts[1], 1) < gridDim.x - 1) return;
    __threadfence();
    for (int b = 0; b < gridDim.x; b++) state[b] = 0;
    counts[0] = counts[1] = 0;
}
