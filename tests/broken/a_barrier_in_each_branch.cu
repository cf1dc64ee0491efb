// barrier_divergence on line 18: the two branches have two different barriers
// launch: grid=1, block=64, x=noise(64), out=zeros(64)
// expect: out = np.where(np.arange(64) < 32, 2 * x[::-1], x[::-1])
extern "C" __global__ void a_barrier_in_each_branch(const float* x, float* out) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    tile[t] = x[t];
#ifdef FIXED
    __syncthreads();
#endif
    if (t < 32) {
#ifndef FIXED
        __syncthreads();
#endif
        out[t] = 2.0f * tile[63 - t];
    } else {
#ifndef FIXED
        __syncthreads();
#endif
        out[t] = tile[63 - t];
    }
}
