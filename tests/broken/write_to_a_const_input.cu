// wrong_answer on line 9: a cast removes the const of the input, and the kernel changes the caller's data
// launch: grid=1, block=64, x=noise(64), out=zeros(64)
// expect: out = np.abs(x)
extern "C" __global__ void write_to_a_const_input(const float* x, float* out) {
#ifdef FIXED
    const float v = fabsf(x[threadIdx.x]);
#else
    float* work = const_cast<float*>(x);
    work[threadIdx.x] = fabsf(work[threadIdx.x]);
    const float v = work[threadIdx.x];
#endif
    out[threadIdx.x] = v;
}
