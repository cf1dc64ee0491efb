// shuffle_divergence on line 11: lanes past the end have returned, but the others still read their values
// launch: grid=1, block=32, x=noise(20), out=zeros(1), n=int32(20)
// expect: out = x.sum()
extern "C" __global__ void early_return_in_a_warp_sum(const float* x, float* out, int n) {
#ifdef FIXED
    float v = threadIdx.x < n ? x[threadIdx.x] : 0.0f;
#else
    if (threadIdx.x >= n) return;
    float v = x[threadIdx.x];
#endif
    for (int s = 16; s > 0; s /= 2) v += __shfl_down_sync(0xffffffff, v, s);
    if (threadIdx.x == 0) *out = v;
}
