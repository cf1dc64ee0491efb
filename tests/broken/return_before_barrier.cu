// barrier_divergence on line 11: threads past the end have returned, and the others wait for them
// launch: grid=1, block=64, x=noise(50), out=zeros(50), n=int32(50)
// expect: out = x - x[0]
extern "C" __global__ void return_before_barrier(const float* x, float* out, int n) {
    __shared__ float first;
    const int i = threadIdx.x;
#ifndef FIXED
    if (i >= n) return;
#endif
    if (i == 0) first = x[0];
    __syncthreads();
    if (i < n) out[i] = x[i] - first;
}
