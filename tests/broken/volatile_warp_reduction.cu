// data_race on line 12, with line 11: volatile makes every access go to memory, but does not order the accesses
// launch: grid=1, block=64, x=noise(64), out=zeros(1)
// expect: out = x.sum()
#ifdef FIXED
#define STEP(k) mine = tile[t] + tile[t + k], __syncwarp(), tile[t] = mine, __syncwarp()
#else
#define STEP(k) tile[t] += tile[t + k]
#endif
__device__ void sum_warp(volatile float* tile, int t) {
    float mine = 0.0f;
    STEP(32);
    STEP(16);
    STEP(8);
    STEP(4);
    STEP(2);
    STEP(1);
}
extern "C" __global__ void volatile_warp_reduction(const float* x, float* out) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    tile[t] = x[t];
    __syncthreads();
    if (t < 32) sum_warp(tile, t);
    if (t == 0) out[0] = tile[0];
}
