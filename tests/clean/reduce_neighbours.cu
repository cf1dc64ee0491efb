// clean: interleaved addressing with a remainder
// launch: grid=4, block=128, x=noise(500), out=zeros(4), n=int32(500)
// expect: out = np.pad(x, (0, 12)).reshape(4, 128).sum(axis=1)
extern "C" __global__ void reduce_neighbours(const float* x, float* out, int n) {
    extern __shared__ float unused[];
    __shared__ float tile[128];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0) tile[t] += tile[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = tile[0];
}
