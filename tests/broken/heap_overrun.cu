// out_of_bounds on line 12: three floats are allocated, but four are written
// launch: grid=1, block=32, x=noise(128), out=zeros(32)
// expect: out = x.reshape(32, 4).sum(axis=1)
#ifdef FIXED
#define ROOM 4
#else
#define ROOM 3
#endif
extern "C" __global__ void heap_overrun(const float* x, float* out) {
    float* row = static_cast<float*>(malloc(ROOM * sizeof(float)));
    for (int k = 0; k < 4; ++k) {
        row[k] = x[4 * threadIdx.x + k];
    }
    float sum = 0.0f;
    for (int k = 0; k < 4; ++k) sum += row[k];
    out[threadIdx.x] = sum;
    free(row);
}
