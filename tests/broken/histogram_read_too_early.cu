// data_race on line 12, with line 8: the bins are written out while other warps still count
// launch: grid=1, block=256, x=dice(256, 32), out=zeros(32, int32)
// expect: out = np.bincount(x, minlength=32)
extern "C" __global__ void histogram_read_too_early(const int* x, int* out) {
    __shared__ int bins[32];
    if (threadIdx.x < 32) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[x[threadIdx.x]], 1);
#ifdef FIXED
    __syncthreads();
#endif
    if (threadIdx.x < 32) out[threadIdx.x] = bins[threadIdx.x];
}
