// A causal mask: query q sees keys 0 to q, itself included, and nothing after it.
//
//   x, y  float[n, n], x only read, y written; y[q, k] = x[q, k] where q sees k, else -INFINITY
//   grid  a block of 32 by 8 threads for each tile: x along the keys
extern "C" __global__ void causal(const float* x, float* y, int n) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    const int q = blockIdx.y * blockDim.y + threadIdx.y;
    if (q >= n || k >= n) return;
    // BEGIN SOLUTION
    y[q * n + k] = k <= q ? x[q * n + k] : -INFINITY;
    // END SOLUTION
}
