// data_race on line 20, with line 8: thread 0 executes a fence, but has not waited for the writes of the other threads
// launch: grid=4, block=64, x=noise(256), copy=zeros(256), done=zeros(1, uint32), out=zeros(64)
// expect: out = x.reshape(4, 64).sum(axis=0)
extern "C" __global__ void last_block_with_one_fence_for_all(const float* x, float* copy,
                                                             unsigned* done, float* out) {
    __shared__ bool last;
    const int t = threadIdx.x;
    copy[blockIdx.x * 64 + t] = x[blockIdx.x * 64 + t];
#ifdef FIXED
    __syncthreads();
#endif
    if (t == 0) {
        __threadfence();
        last = atomicAdd(done, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last) return;
    float sum = 0.0f;
    for (int b = 0; b < gridDim.x; ++b) sum += copy[b * 64 + t];
    out[t] = sum;
}
