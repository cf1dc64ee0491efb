// data_race on line 13, with line 12: two extern shared arrays begin at the same byte
// launch: grid=1, block=64, shared_mem=512, x=noise(64), y=noise(64, 1), out=zeros(64)
// expect: out = x * y
extern "C" __global__ void one_buffer_under_two_names(const float* x, const float* y, float* out) {
    extern __shared__ float left[];
#ifdef FIXED
    float* right = left + 64;
#else
    extern __shared__ float right[];
#endif
    const int t = threadIdx.x;
    left[t] = x[t];
    right[63 - t] = y[63 - t];
    __syncthreads();
    out[t] = left[t] * right[t];
}
