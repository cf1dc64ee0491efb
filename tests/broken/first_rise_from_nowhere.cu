// uninitialized_read on line 12: the first value is compared with the one before it, but there is none
// launch: grid=1, block=32, x=noise((32, 8)), columns=int32(8), rises=zeros(32, int32)
// expect: rises = (np.diff(x, axis=1) > 0).sum(axis=1)
extern "C" __global__ void first_rise_from_nowhere(const float* x, int columns, int* rises) {
#ifdef FIXED
    float before = x[threadIdx.x * columns];
#else
    float before;
#endif
    for (int k = 0; k < columns; ++k) {
        const float value = x[threadIdx.x * columns + k];
        if (value > before) rises[threadIdx.x] += 1;
        before = value;
    }
}
