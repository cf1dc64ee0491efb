// shuffle_divergence on line 14: __syncwarp() waits for the whole warp, but half of the warp takes another branch
// launch: grid=1, block=32, x=ramp(32), out=zeros(32)
// expect: out = np.where(np.arange(32) < 16, np.roll(x, 16), 0)
extern "C" __global__ void syncwarp_in_a_branch(const float* x, float* out) {
    __shared__ float tile[32];
    const int lane = threadIdx.x;
    tile[lane] = x[lane];
#ifdef FIXED
    __syncwarp();
#endif
    float mine = 0.0f;
    if (lane < 16) {
#ifndef FIXED
        __syncwarp();
#endif
        mine = tile[lane + 16];
    }
    out[lane] = mine;
}
