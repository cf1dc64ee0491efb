// data_race on line 15, with line 11: a step of the scan reads sums that the same step overwrites
// launch: grid=1, block=64, x=noise(64), out=zeros(64)
// expect: out = np.cumsum(x)
extern "C" __global__ void scan_in_place(const float* x, float* out) {
    __shared__ float sums[64];
    const int t = threadIdx.x;
    sums[t] = x[t];
    __syncthreads();
    for (int offset = 1; offset < 64; offset *= 2) {
        float mine = sums[t];
        if (t >= offset) mine += sums[t - offset];
#ifdef FIXED
        __syncthreads();
#endif
        sums[t] = mine;
        __syncthreads();
    }
    out[t] = sums[t];
}
