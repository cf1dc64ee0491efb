// data_race on line 13, with line 7: each mask has one half of the warp, but the data comes from the other half
// launch: grid=1, block=32, x=ramp(32), out=zeros(32)
// expect: out = np.roll(x, 16)
extern "C" __global__ void half_a_warp_barrier(const float* x, float* out) {
    __shared__ float tile[32];
    const int lane = threadIdx.x;
    tile[lane] = x[lane];
#ifdef FIXED
    __syncwarp();
#else
    __syncwarp(lane < 16 ? 0x0000ffff : 0xffff0000);
#endif
    out[lane] = tile[(lane + 16) % 32];
}
