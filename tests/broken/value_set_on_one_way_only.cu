// uninitialized_read on line 11: threads past the end store a variable that only the others set
// launch: grid=1, block=64, x=noise(40), out=zeros(64), n=int32(40)
// expect: out = np.pad(x, (0, 24))
extern "C" __global__ void value_set_on_one_way_only(const float* x, float* out, int n) {
#ifdef FIXED
    float value = 0.0f;
#else
    float value;
#endif
    if (threadIdx.x < n) value = x[threadIdx.x];
    out[threadIdx.x] = value;
}
