// out_of_bounds on line 9: the optional bias is missing, and the kernel does not check for it
// launch: grid=1, block=64, x=noise(64), bias=null, out=zeros(64)
// expect: out = x
extern "C" __global__ void null_pointer(const float* x, const float* bias, float* out) {
    const int t = threadIdx.x;
#ifdef FIXED
    out[t] = x[t] + (bias ? bias[t] : 0.0f);
#else
    out[t] = x[t] + bias[t];
#endif
}
