// out_of_bounds on line 9: the last block has more threads than there are elements left
// launch: grid=2, block=64, x=noise(100), out=zeros(100), n=int32(100)
// expect: out = 2 * x
extern "C" __global__ void missing_guard(const float* x, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    if (i >= n) return;
#endif
    out[i] = 2.0f * x[i];
}
