// data_race on line 6, with line 13: the second reduction fills the array before all have read the first one's result
// launch: grid=1, block=64, x=noise(64), out=zeros(64)
// expect: out = np.exp(x - x.max()) / np.exp(x - x.max()).sum()
__device__ float reduce(float v, float* tile, bool largest) {
    const int t = threadIdx.x;
    tile[t] = v;
    __syncthreads();
    for (int stride = 32; stride > 0; stride /= 2) {
        if (t < stride)
            tile[t] = largest ? fmaxf(tile[t], tile[t + stride]) : tile[t] + tile[t + stride];
        __syncthreads();
    }
    v = tile[0];
#ifdef FIXED
    __syncthreads();
#endif
    return v;
}
extern "C" __global__ void array_used_again_too_early(const float* x, float* out) {
    __shared__ float tile[64];
    const float largest = reduce(x[threadIdx.x], tile, true);
    const float weight = expf(x[threadIdx.x] - largest);
    out[threadIdx.x] = weight / reduce(weight, tile, false);
}
