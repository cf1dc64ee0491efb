// How often each of 64 values occurs; x int[n] of 0 to 63, counts int[64], zero at first.
extern "C" __global__ void histogram_global(const int* x, int* counts, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&counts[x[i]], 1);
}

extern "C" __global__ void histogram_shared(const int* x, int* counts, int n) {
    __shared__ int mine[64];  // the block's own counts
    if (threadIdx.x < 64) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&mine[x[i]], 1);
    }
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}

// A ticket is an atomic whose result is needed.
extern "C" __global__ void tickets(int* next, int* mine, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) mine[i] = atomicAdd(&next[i % 8], 1 + i % 3);
}
