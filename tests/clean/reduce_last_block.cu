// clean: the block that finishes last adds up what the others left, past a fence and a counter
// launch: grid=16, block=64, x=noise(5000), partial=empty(16), done=zeros(1, uint32), out=zeros(1), n=int32(5000)
// expect: out = x.sum()
extern "C" __global__ void reduce_last_block(const float* x, volatile float* partial,
                                             unsigned* done, float* out, int n) {
    __shared__ float tile[64];
    __shared__ bool last;
    const int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64) sum += x[i];
    for (int round = 0; round < 2; ++round) {
        tile[t] = sum;
        __syncthreads();
        for (int s = 32; s > 0; s /= 2) {
            if (t < s) tile[t] += tile[t + s];
            __syncthreads();
        }
        if (round == 1) break;
        if (t == 0) {
            partial[blockIdx.x] = tile[0];
            __threadfence();
            last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
        }
        __syncthreads();
        if (!last) return;
        sum = t < gridDim.x ? partial[t] : 0.0f;
    }
    if (t == 0) *out = tile[0];
}
