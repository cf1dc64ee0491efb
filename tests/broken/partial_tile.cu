// uninitialized_read on line 14: threads past the end do not write their cells of the tile
// launch: grid=1, block=64, x=noise(50), out=zeros(1), n=int32(50)
// expect: out = x.sum()
extern "C" __global__ void partial_tile(const float* x, float* out, int n) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
#ifdef FIXED
    tile[t] = t < n ? x[t] : 0.0f;
#else
    if (t < n) tile[t] = x[t];
#endif
    __syncthreads();
    for (int stride = 32; stride > 0; stride /= 2) {
        if (t < stride) tile[t] += tile[t + stride];
        __syncthreads();
    }
    if (t == 0) *out = tile[0];
}
