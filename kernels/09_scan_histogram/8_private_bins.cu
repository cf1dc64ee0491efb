// Counts bytes: bins[v] is how often v is in values.
//
//   values  unsigned char[n], only read
//   bins    int[256], 0 before the launch; each block adds its counts
//   block   256 threads; thread i of the T threads of the grid counts i, i + T, i + 2 T ...
extern "C" __global__ void clear(int* bins) {
    bins[threadIdx.x] = 0;
}

extern "C" __global__ void private_bins(const unsigned char* values, int* bins, int n) {
    __shared__ int mine[256];  // of this block
    mine[threadIdx.x] = 0;
    __syncthreads();  // no thread counts before all bins are 0
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        // BEGIN SOLUTION
        atomicAdd(&mine[values[i]], 1);
        // END SOLUTION
    }
    __syncthreads();  // no thread reads before all have counted
    if (mine[threadIdx.x] > 0) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
