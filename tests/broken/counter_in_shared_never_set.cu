// uninitialized_read on line 10: a shared counter does not begin at zero by itself
// launch: grid=1, block=64, x=noise(64), out=zeros(1, int32)
// expect: out = (x > 0).sum()
extern "C" __global__ void counter_in_shared_never_set(const float* x, int* out) {
    __shared__ int positive;
#ifdef FIXED
    if (threadIdx.x == 0) positive = 0;
    __syncthreads();
#endif
    if (x[threadIdx.x] > 0.0f) atomicAdd(&positive, 1);
    __syncthreads();
    if (threadIdx.x == 0) *out = positive;
}
