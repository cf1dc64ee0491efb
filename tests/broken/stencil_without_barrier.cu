// data_race on line 13, with line 7: two threads load the halo, and other threads read it without a barrier
// launch: grid=4, block=64, x=noise(258), out=zeros(256)
// expect: out = (x[:-2] + x[1:-1] + x[2:]) / 3
extern "C" __global__ void stencil_without_barrier(const float* x, float* out) {
    __shared__ float tile[66];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    tile[t + 1] = x[i + 1];
    if (t == 0) tile[0] = x[i];
    if (t == 63) tile[65] = x[i + 2];
#ifdef FIXED
    __syncthreads();
#endif
    out[i] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3.0f;
}
