// out_of_bounds on line 10: the window has seven cells, but the index of the largest may be seven
// launch: grid=1, block=64, x=ramp(71), at=np.arange(64, dtype=int32) % 8, out=zeros(64)
// expect: out = x[np.arange(64) + at % 7]
extern "C" __global__ void window_overrun(const float* x, const int* at, float* out) {
    float window[7];
    for (int k = 0; k < 7; ++k) window[k] = x[threadIdx.x + k];
#ifdef FIXED
    out[threadIdx.x] = window[at[threadIdx.x] % 7];
#else
    out[threadIdx.x] = window[at[threadIdx.x]];
#endif
}
