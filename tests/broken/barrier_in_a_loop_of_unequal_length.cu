// barrier_divergence on line 16: some threads execute the loop, and its barrier, once more than others
// launch: grid=1, block=64, x=noise(100), out=zeros(100), n=int32(100)
// expect: out = np.append(x[:64][::-1], x[64:][::-1])
extern "C" __global__ void barrier_in_a_loop_of_unequal_length(const float* x, float* out, int n) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
#ifdef FIXED
    for (int first = 0; first < n; first += 64) {
        const int i = first + t;
#else
    for (int i = t; i < n; i += 64) {
        const int first = i - t;
#endif
        const int length = min(64, n - first);
        if (i < n) tile[t] = x[i];
        __syncthreads();
        if (i < n) out[i] = tile[length - 1 - t];
        __syncthreads();
    }
}
