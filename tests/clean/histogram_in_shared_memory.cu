// clean: atomics in shared memory, then in global memory
// launch: grid=8, block=128, x=dice(3000, 64), bins=zeros(64, int32), n=int32(3000)
// expect: bins = np.bincount(x, minlength=64)
extern "C" __global__ void histogram_in_shared_memory(const int* x, int* bins, int n) {
    __shared__ int mine[64];
    for (int b = threadIdx.x; b < 64; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[x[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 64; b += blockDim.x) atomicAdd(&bins[b], mine[b]);
}
