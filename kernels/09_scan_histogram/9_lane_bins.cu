// Counts integers: bins[v] is how often v is in values. Equal numbers do not make it slower.
//
//   values  int[n], only read; begins at a multiple of 16 bytes; only 0 to 255 are counted
//   bins    int[256], 0 before the launch (`clear_bins`); each block adds its counts
//   grid    two blocks for each multiprocessor
//   block   1024 threads
//
// Its steps, and the kernels of the lessons in which you met them:
//   1  a block counts in its own bins in shared memory, and adds them once       8_private_bins.cu
//   2  each lane has its own bins. Bin v of lane l is cell 32 v + l, which is in bank l. So lanes
//      never meet at a cell or a bank, and need no match as in 9_together.cu
//   3  16 bytes per load, and two loads in flight per thread                     lesson 06
//   4  as many blocks as run at the same time, and many numbers per thread       lesson 02
constexpr int THREADS = 1024, BATCH = 2;

extern "C" __global__ void clear_bins(int* bins) {
    bins[threadIdx.x] = 0;
}

__device__ void count(int* of_lane, int value) {  // of_lane[32 * v] is bin v
    // Lane l of another warp adds to the same cell, so it is an atomic still.
    if (0 <= value && value < 256) atomicAdd(&of_lane[32 * value], 1);
}

__device__ void count(int* of_lane, int4 pack) {
    count(of_lane, pack.x), count(of_lane, pack.y), count(of_lane, pack.z), count(of_lane, pack.w);
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    lane_bins(const int* values, int* bins, size_t n) {
    __shared__ int cells[256 * 32];  // step 2
    const int t = threadIdx.x;
    for (int i = t; i < 256 * 32; i += THREADS) cells[i] = 0;
    __syncthreads();  // no thread counts before all cells are 0

    int* of_lane = cells + t % 32;
    const int4* packs = reinterpret_cast<const int4*>(values);
    const size_t whole = n / 4, step = static_cast<size_t>(gridDim.x) * THREADS;
    size_t p = static_cast<size_t>(blockIdx.x) * THREADS + t;
    if (p < n % 4) count(of_lane, values[4 * whole + p]);  // up to 3 numbers after the last pack
    for (; p + (BATCH - 1) * step < whole; p += BATCH * step) {  // steps 3 and 4
        int4 pack[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++) pack[k] = packs[p + k * step];
#pragma unroll
        for (int k = 0; k < BATCH; k++) count(of_lane, pack[k]);
    }
    for (; p < whole; p += step) count(of_lane, packs[p]);

    __syncthreads();  // no thread reads before all have counted
    if (t >= 256) return;
    int sum = 0;
    for (int k = 0; k < 32; k++) sum += cells[32 * t + (t + k) % 32];  // lane l begins at bank l
    if (sum > 0) atomicAdd(&bins[t], sum);                             // step 1
}
