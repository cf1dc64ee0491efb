// data_race on line 10: no barrier is between the steps of the tree
// launch: grid=2, block=128, x=noise(256), out=zeros(2)
// expect: out = x.reshape(2, 128).sum(axis=1)
extern "C" __global__ void reduction_without_loop_barrier(const float* x, float* out) {
    __shared__ float tile[128];
    const int t = threadIdx.x;
    tile[t] = x[blockIdx.x * 128 + t];
    __syncthreads();
    for (int stride = 64; stride > 0; stride /= 2) {
        if (t < stride) tile[t] += tile[t + stride];
#ifdef FIXED
        __syncthreads();
#endif
    }
    if (t == 0) out[blockIdx.x] = tile[0];
}
