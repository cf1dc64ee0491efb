// out_of_bounds on line 12: <= instead of <
// launch: grid=1, block=32, x=noise((32, 16)), out=zeros(32), columns=int32(16)
// expect: out = x.sum(axis=1)
#ifdef FIXED
#define BELOW <
#else
#define BELOW <=
#endif
extern "C" __global__ void one_step_too_many(const float* x, float* out, int columns) {
    float sum = 0.0f;
    for (int k = 0; k BELOW columns; ++k) {
        sum += x[threadIdx.x * columns + k];
    }
    out[threadIdx.x] = sum;
}
