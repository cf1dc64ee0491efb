// out_of_bounds on line 9: the loop counts bytes, but the index counts elements
// launch: grid=1, block=32, x=noise(128), out=zeros(128), n=int32(128)
// expect: out = x
extern "C" __global__ void bytes_for_elements(const float* x, float* out, int n) {
#ifndef FIXED
    n *= sizeof(float);
#endif
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        out[i] = x[i];
    }
}
