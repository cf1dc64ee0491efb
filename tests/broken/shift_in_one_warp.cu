// data_race on line 10, with line 6: the lanes of a warp do not always run together
// launch: grid=1, block=32, x=ramp(32), out=zeros(32)
// expect: out = x[::-1]
extern "C" __global__ void shift_in_one_warp(const float* x, float* out) {
    __shared__ float tile[32];
    tile[threadIdx.x] = x[threadIdx.x];
#ifdef FIXED
    __syncwarp();
#endif
    out[threadIdx.x] = tile[31 - threadIdx.x];
}
