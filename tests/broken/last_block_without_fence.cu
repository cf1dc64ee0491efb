// data_race on line 18, with line 9: the count of finished blocks may be seen before their results are
// launch: grid=8, block=64, x=noise(512), partial=zeros(8), done=zeros(1, uint32), out=zeros(1)
// expect: out = x.sum()
extern "C" __global__ void last_block_without_fence(const float* x, float* partial, unsigned* done,
                                                    float* out) {
    if (threadIdx.x > 0) return;
    float sum = 0.0f;
    for (int i = 0; i < 64; ++i) sum += x[blockIdx.x * 64 + i];
    partial[blockIdx.x] = sum;
#ifdef FIXED
    __threadfence();
#endif
    if (atomicAdd(done, 1) < gridDim.x - 1) return;
#ifdef FIXED
    __threadfence();
#endif
    float total = 0.0f;
    for (int b = 0; b < gridDim.x; ++b) total += partial[b];
    *out = total;
}
