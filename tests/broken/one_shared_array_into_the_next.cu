// out_of_bounds on line 16: the last cells of one array are the first cells of the next
// launch: grid=1, block=64, x=noise(65), y=noise(64, 1), out=zeros(64)
// expect: out = x[1:] * y
#ifdef FIXED
#define CELLS 65
#else
#define CELLS 64
#endif
extern "C" __global__ void one_shared_array_into_the_next(const float* x, const float* y,
                                                          float* out) {
    __shared__ float left[CELLS], right[64];
    const int t = threadIdx.x;
    right[t] = y[t];
    __syncthreads();
    left[t] = x[t];
    if (t == 0) left[64] = x[64];
    __syncthreads();
    out[t] = left[t + 1] * right[t];
}
