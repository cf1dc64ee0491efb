// Counts bytes in shared memory; lanes that have the same byte send one addition together.
//
//   values  unsigned char[n], only read
//   bins    int[256], written; bins[v] is how often v is in values
//   block   256 threads; the grid is one block
extern "C" __global__ void together(const unsigned char* values, int* bins, int n) {
    __shared__ int mine[256];
    const int lane = threadIdx.x % 32;
    mine[threadIdx.x] = 0;
    __syncthreads();  // no thread counts before all bins are 0
    for (int first = 0; first < n; first += 256) {
        const int i = first + threadIdx.x;
        // Your turn: who has the same byte, and who adds for all of them?
        // BEGIN SOLUTION
        const int value = i < n ? values[i] : 256;  // 256 is no byte
        const unsigned int same = __match_any_sync(~0u, value);  // bit l: lane l has this value
        if (value < 256 && lane == __ffs(same) - 1) atomicAdd(&mine[value], __popc(same));
        // END SOLUTION
    }
    __syncthreads();  // no thread reads before all have counted
    bins[threadIdx.x] = mine[threadIdx.x];
}
