// out_of_bounds on line 16: both threads of a pair free the memory that they share
// launch: grid=1, block=32, x=noise(32), out=zeros(32)
// expect: out = x.reshape(16, 2)[:, ::-1]
extern "C" __global__ void freed_twice(const float* x, float* out) {
    __shared__ float* pairs[16];
    const int t = threadIdx.x;
    if (t % 2 == 0) pairs[t / 2] = static_cast<float*>(malloc(2 * sizeof(float)));
    __syncthreads();
    pairs[t / 2][t % 2] = x[t];
    __syncthreads();
    out[t] = pairs[t / 2][1 - t % 2];
    __syncthreads();
#ifdef FIXED
    if (t % 2 == 0)
#endif
        free(pairs[t / 2]);
}
