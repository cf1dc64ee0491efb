// out_of_bounds on line 14: the upper half adds too, from cells past the end of the tile
// launch: grid=1, block=64, x=noise(64), out=zeros(1)
// expect: out = x.max()
extern "C" __global__ void tree_without_guard(const float* x, float* out) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    tile[t] = x[t];
    __syncthreads();
    for (int stride = 32; stride > 0; stride /= 2) {
        float other = -INFINITY;
#ifdef FIXED
        if (t < stride)
#endif
            other = tile[t + stride];
        __syncthreads();
        tile[t] = fmaxf(tile[t], other);
        __syncthreads();
    }
    if (t == 0) *out = tile[0];
}
