// data_race on line 11: two threads add to one counter, and one of the additions is lost
// launch: grid=1, block=256, x=dice(256), out=zeros(6, int32)
// expect: out = np.bincount(x)
extern "C" __global__ void histogram_without_atomics(const int* x, int* out) {
    __shared__ int bins[6];
    if (threadIdx.x < 6) bins[threadIdx.x] = 0;
    __syncthreads();
#ifdef FIXED
    atomicAdd(&bins[x[threadIdx.x]], 1);
#else
    bins[x[threadIdx.x]]++;
#endif
    __syncthreads();
    if (threadIdx.x < 6) out[threadIdx.x] = bins[threadIdx.x];
}
