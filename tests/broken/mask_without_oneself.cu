// shuffle_divergence on line 10: lane 0 takes part in a vote, but the mask does not name it
// launch: grid=1, block=32, x=noise(32), out=zeros(32, int32)
// expect: out = np.full(32, (x > 0).any())
extern "C" __global__ void mask_without_oneself(const float* x, int* out) {
#ifdef FIXED
    const unsigned mask = 0xffffffff;
#else
    const unsigned mask = 0xfffffffe;
#endif
    out[threadIdx.x] = __any_sync(mask, x[threadIdx.x] > 0.0f);
}
