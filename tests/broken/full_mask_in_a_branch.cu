// shuffle_divergence on line 12: the mask names all 32 lanes, half of them are not in the branch
// launch: grid=1, block=32, x=noise(32), out=zeros(1)
// expect: out = x[:16].sum()
extern "C" __global__ void full_mask_in_a_branch(const float* x, float* out) {
    float v = x[threadIdx.x];
#ifdef FIXED
    const unsigned mask = 0x0000ffff;
#else
    const unsigned mask = 0xffffffff;
#endif
    if (threadIdx.x < 16) {
        for (int step = 8; step > 0; step /= 2) v += __shfl_xor_sync(mask, v, step);
    }
    if (threadIdx.x == 0) *out = v;
}
