// data_race on line 16: the two buffers never change roles, so a step reads what its neighbours write
// launch: grid=1, block=64, x=noise(64), out=zeros(64)
// expect: out = np.cumsum(x)
extern "C" __global__ void double_buffer_not_swapped(const float* x, float* out) {
    __shared__ float sums[2][64];
    const int t = threadIdx.x;
    int from = 0;
    sums[from][t] = x[t];
    __syncthreads();
    for (int offset = 1; offset < 64; offset *= 2) {
#ifdef FIXED
        const int to = 1 - from;
#else
        const int to = from;
#endif
        sums[to][t] = sums[from][t] + (t >= offset ? sums[from][t - offset] : 0.0f);
        __syncthreads();
        from = to;
    }
    out[t] = sums[from][t];
}
