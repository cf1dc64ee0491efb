// Counts bytes without an atomic: each warp has its own bins, and lanes with the same byte add once.
//
//   values  unsigned char[n], only read
//   bins    int[256], written; bins[v] is how often v is in values
//   block   256 threads; the grid is one block
extern "C" __global__ void together(const unsigned char* values, int* bins, int n) {
    __shared__ int mine[8][256];  // mine[w]: the bins of warp w
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int w = 0; w < 8; w++) mine[w][threadIdx.x] = 0;
    __syncthreads();  // no warp counts before all bins are 0
    for (int first = 0; first < n; first += 256) {
        const int i = first + threadIdx.x;
        // Your turn: which lanes have the same byte, and which of them adds for all?
        // BEGIN SOLUTION
        const int value = i < n ? values[i] : 256;               // 256 is not a byte
        const unsigned int same = __match_any_sync(~0u, value);  // bit l: lane l has this value
        if (value < 256 && lane == __ffs(same) - 1) mine[warp][value] += __popc(same);
        __syncwarp();  // in the next iteration another lane may add to this bin
        // END SOLUTION
    }
    __syncthreads();  // no thread reads before all warps have counted
    int count = 0;
    for (int w = 0; w < 8; w++) count += mine[w][threadIdx.x];
    bins[threadIdx.x] = count;
}
