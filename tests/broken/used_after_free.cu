// out_of_bounds on line 12: the thread reads its scratch memory after giving it back
// launch: grid=1, block=32, x=noise(32), out=zeros(32)
// expect: out = x
extern "C" __global__ void used_after_free(const float* x, float* out) {
    float* scratch = static_cast<float*>(malloc(sizeof(float)));
    *scratch = x[threadIdx.x];
#ifdef FIXED
    out[threadIdx.x] = *scratch;
    free(scratch);
#else
    free(scratch);
    out[threadIdx.x] = *scratch;
#endif
}
