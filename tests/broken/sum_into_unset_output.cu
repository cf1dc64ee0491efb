// uninitialized_read on line 9: the kernel adds to an output that nothing has set to zero
// launch: grid=1, block=32, x=noise((32, 8)), out=empty(32)
// expect: out = x.sum(axis=1)
extern "C" __global__ void sum_into_unset_output(const float* x, float* out) {
#ifdef FIXED
    out[threadIdx.x] = 0.0f;
#endif
    for (int k = 0; k < 8; ++k) {
        out[threadIdx.x] += x[threadIdx.x * 8 + k];
    }
}
