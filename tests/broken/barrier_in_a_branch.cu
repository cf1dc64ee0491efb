// barrier_divergence on line 13: only the lower half of the threads reaches the barrier
// launch: grid=1, block=64, x=noise(64), out=zeros(1)
// expect: out = x.sum()
extern "C" __global__ void barrier_in_a_branch(const float* x, float* out) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    tile[t] = x[t];
    __syncthreads();
    for (int stride = 32; stride > 0; stride /= 2) {
        if (t < stride) {
            tile[t] += tile[t + stride];
#ifndef FIXED
            __syncthreads();
#endif
        }
#ifdef FIXED
        __syncthreads();
#endif
    }
    if (t == 0) *out = tile[0];
}
