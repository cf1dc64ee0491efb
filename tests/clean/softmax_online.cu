// clean: pairs of maximum and sum, merged by shuffles and once through shared memory
// launch: grid=3, block=96, x=noise((3, 1000)), out=zeros((3, 1000)), columns=int32(1000)
// expect: out = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
__device__ float2 merged(float2 a, float2 b) {
    const float most = fmaxf(a.x, b.x);
    if (most == -INFINITY) return a;
    return make_float2(most, a.y * expf(a.x - most) + b.y * expf(b.x - most));
}
extern "C" __global__ void softmax_online(const float* x, float* out, int columns) {
    __shared__ float2 of_warp[3];
    const float* row = x + blockIdx.x * columns;
    float2 mine = make_float2(-INFINITY, 0.0f);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        mine = merged(mine, make_float2(row[i], 1.0f));
    for (int s = 16; s > 0; s /= 2) {
        const float most = __shfl_xor_sync(0xffffffff, mine.x, s);
        const float sum = __shfl_xor_sync(0xffffffff, mine.y, s);
        mine = merged(mine, make_float2(most, sum));
    }
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    const float2 all = merged(of_warp[0], merged(of_warp[1], of_warp[2]));
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        out[blockIdx.x * columns + i] = expf(row[i] - all.x) / all.y;
}
