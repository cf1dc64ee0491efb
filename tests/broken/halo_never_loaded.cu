// uninitialized_read on line 12: the tile has room for a halo that no thread loads
// launch: grid=2, block=32, x=noise(66), out=zeros(64)
// expect: out = x[:-2] + x[2:]
extern "C" __global__ void halo_never_loaded(const float* x, float* out) {
    __shared__ float tile[34];
    const int t = threadIdx.x, i = blockIdx.x * 32 + t;
    tile[t + 1] = x[i + 1];
#ifdef FIXED
    if (t < 2) tile[33 * t] = x[i + 32 * t];
#endif
    __syncthreads();
    out[i] = tile[t] + tile[t + 2];
}
