// wrong_answer on line 9: an integer is divided by zero, and the GPU reports no error
// launch: grid=1, block=32, x=ramp(32, int32), by=np.arange(32, dtype=int32) % 8, out=zeros(32, int32)
// expect: out = np.where(by, x // np.maximum(by, 1), 0)
extern "C" __global__ void division_by_zero(const int* x, const int* by, int* out) {
    const int d = by[threadIdx.x];
#ifdef FIXED
    out[threadIdx.x] = d ? x[threadIdx.x] / d : 0;
#else
    out[threadIdx.x] = x[threadIdx.x] / d;
#endif
}
