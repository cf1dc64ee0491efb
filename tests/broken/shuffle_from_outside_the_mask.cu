// shuffle_divergence on line 10: the first step reads lanes 16 to 31, which the mask leaves out
// launch: grid=1, block=32, x=noise(32), out=zeros(1)
// expect: out = x[:16].sum()
extern "C" __global__ void shuffle_from_outside_the_mask(const float* x, float* out) {
    float v = x[threadIdx.x];
    if (threadIdx.x < 16) {
#ifdef FIXED
        for (int step = 8; step > 0; step /= 2) v += __shfl_down_sync(0xffff, v, step, 16);
#else
        for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(0xffff, v, step);
#endif
    }
    if (threadIdx.x == 0) *out = v;
}
