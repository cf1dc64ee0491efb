// data_race on line 12, with line 6: __syncwarp() orders the lanes of one warp, but the cells belong to another warp
// launch: grid=1, block=128, x=ramp(128), out=zeros(128)
// expect: out = x[::-1]
extern "C" __global__ void warp_barrier_for_a_block(const float* x, float* out) {
    __shared__ float tile[128];
    tile[threadIdx.x] = x[threadIdx.x];
#ifdef FIXED
    __syncthreads();
#else
    __syncwarp();
#endif
    out[threadIdx.x] = tile[127 - threadIdx.x];
}
