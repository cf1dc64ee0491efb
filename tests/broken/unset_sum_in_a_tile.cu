// uninitialized_read on line 12: a variable without a value goes through shared memory
// launch: grid=1, block=32, x=noise((32, 8)), columns=int32(8), out=zeros(1)
// expect: out = np.array([x.sum()])
extern "C" __global__ void unset_sum_in_a_tile(const float* x, int columns, float* out) {
    __shared__ float tile[32];
#ifdef FIXED
    float sum = 0.0f;
#else
    float sum;
#endif
    for (int k = 0; k < columns; ++k) {
        sum += x[threadIdx.x * columns + k];
    }
    tile[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float total = 0.0f;
        for (int t = 0; t < 32; ++t) total += tile[t];
        *out = total;
    }
}
