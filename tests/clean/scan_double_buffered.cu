// clean: every step reads one half of the buffer and writes the other
// launch: grid=1, block=128, shared_mem=1024, x=noise(128), out=zeros(128)
// expect: out = np.cumsum(x)
extern "C" __global__ void scan_double_buffered(const float* x, float* out) {
    extern __shared__ float sums[];
    const int t = threadIdx.x, n = blockDim.x;
    int to = 0, from = 1;
    sums[t] = x[t];
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        to = 1 - to, from = 1 - to;
        sums[to * n + t] = sums[from * n + t] + (t >= offset ? sums[from * n + t - offset] : 0.0f);
        __syncthreads();
    }
    out[t] = sums[to * n + t];
}
