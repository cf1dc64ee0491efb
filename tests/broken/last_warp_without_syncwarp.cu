// data_race on line 17: the last six steps assume that the lanes of a warp run together
// launch: grid=1, block=64, x=noise(64), out=zeros(1)
// expect: out = x.sum()
extern "C" __global__ void last_warp_without_syncwarp(const float* x, float* out) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    tile[t] = x[t];
    __syncthreads();
    if (t < 32) {
        for (int stride = 32; stride > 0; stride /= 2) {
#ifdef FIXED
            const float mine = tile[t] + tile[t + stride];
            __syncwarp();
            tile[t] = mine;
            __syncwarp();
#else
            tile[t] += tile[t + stride];
#endif
        }
    }
    if (t == 0) out[0] = tile[0];
}
