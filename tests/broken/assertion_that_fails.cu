// launch_error on line 8: an assert in the kernel fails
// launch: grid=1, block=64, x=ramp(64), out=zeros(64)
// expect: out = np.sqrt(x)
extern "C" __global__ void assertion_that_fails(const float* x, float* out) {
#ifdef FIXED
    assert(x[threadIdx.x] >= 0.0f);
#else
    assert(x[threadIdx.x] > 0.0f);
#endif
    out[threadIdx.x] = sqrtf(x[threadIdx.x]);
}
