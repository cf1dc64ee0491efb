// clean: sequential addressing, two loads a thread, the last warp by shuffles
// launch: grid=2, block=256, shared_mem=1024, x=noise(1000), out=zeros(2), n=int32(1000)
// expect: out = np.pad(x, (0, 24)).reshape(2, 512).sum(axis=1)
extern "C" __global__ void reduce_first_add(const float* x, float* out, int n) {
    extern __shared__ float tile[];
    const int t = threadIdx.x, i = blockIdx.x * 512 + t;
    float sum = (i < n ? x[i] : 0.0f) + (i + 256 < n ? x[i + 256] : 0.0f);
    tile[t] = sum;
    __syncthreads();
    for (int s = 128; s > 32; s /= 2) {
        if (t < s) tile[t] = sum = sum + tile[t + s];
        __syncthreads();
    }
    if (t < 32) {
        sum += tile[t + 32];
        for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffff, sum, s);
    }
    if (t == 0) out[blockIdx.x] = sum;
}
