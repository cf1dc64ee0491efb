// uninitialized_read on line 18: 32 partial sums are added, but only four warps have written one
// launch: grid=1, block=128, x=noise(128), out=zeros(1)
// expect: out = x.sum()
__device__ float sum_warp(float v) {
    for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(0xffffffff, v, step);
    return v;
}
extern "C" __global__ void results_of_absent_warps(const float* x, float* out) {
    __shared__ float partial[32];
    const int t = threadIdx.x, lane = t % 32;
    const float sum = sum_warp(x[t]);
    if (lane == 0) partial[t / 32] = sum;
    __syncthreads();
    if (t >= 32) return;
#ifdef FIXED
    const float mine = lane < blockDim.x / 32 ? partial[lane] : 0.0f;
#else
    const float mine = partial[lane];
#endif
    const float total = sum_warp(mine);
    if (t == 0) *out = total;
}
