// uninitialized_read on line 11: the sum of a thread has no first value
// launch: grid=1, block=32, x=noise((32, 8)), columns=int32(8), out=zeros(32)
// expect: out = x.sum(axis=1)
extern "C" __global__ void sum_never_started(const float* x, int columns, float* out) {
#ifdef FIXED
    float sum = 0.0f;
#else
    float sum;
#endif
    for (int k = 0; k < columns; ++k) {
        sum += x[threadIdx.x * columns + k];
    }
    out[threadIdx.x] = sum;
}
