// uninitialized_read on line 12: the first comparison uses a variable without a value
// launch: grid=1, block=32, x=noise((32, 8)), columns=int32(8), at=zeros(32, int32)
// expect: at = x.argmax(axis=1)
extern "C" __global__ void place_of_the_largest_never_set(const float* x, int columns, int* at) {
#ifdef FIXED
    int largest = 0;
#else
    int largest;
#endif
    const float* row = x + threadIdx.x * columns;
    for (int k = 0; k < columns; ++k) {
        if (row[k] > row[largest]) largest = k;
    }
    at[threadIdx.x] = largest;
}
