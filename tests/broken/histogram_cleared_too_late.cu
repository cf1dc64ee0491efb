// data_race on line 10, with line 6: counting starts while the bins are being cleared
// launch: grid=1, block=256, x=dice(256, 64), out=zeros(64, int32)
// expect: out = np.bincount(x, minlength=64)
extern "C" __global__ void histogram_cleared_too_late(const int* x, int* out) {
    __shared__ int bins[64];
    if (threadIdx.x < 64) bins[threadIdx.x] = 0;
#ifdef FIXED
    __syncthreads();
#endif
    atomicAdd(&bins[x[threadIdx.x]], 1);
    __syncthreads();
    if (threadIdx.x < 64) out[threadIdx.x] = bins[threadIdx.x];
}
