// clean: the last warp by hand, with a warp barrier after every read and every write
// launch: grid=1, block=THREADS, x=noise(THREADS), out=zeros(1)
// expect: out = x.sum()
// each: THREADS = 64, 128, 512, 1024
extern "C" __global__ void reduce_unrolled_warp(const float* x, float* out) {
    __shared__ float tile[THREADS];
    const int t = threadIdx.x;
    float sum = tile[t] = x[t];
    __syncthreads();
#pragma unroll
    for (int s = THREADS / 2; s > 32; s /= 2) {
        if (t < s) tile[t] = sum = sum + tile[t + s];
        __syncthreads();
    }
    if (t < 32) {
#pragma unroll
        for (int s = 32; s > 0; s /= 2) {
            sum += tile[t + s];
            __syncwarp();
            tile[t] = sum;
            __syncwarp();
        }
    }
    if (t == 0) *out = tile[0];
}
