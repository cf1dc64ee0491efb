// Interleaves two vectors: out[0] = x[0], out[1] = y[0], out[2] = x[1], out[3] = y[1], ...
//
//   x, y  float[n / 2], only read
//   out   float[n], written; n is even; thread t of block b owns out[b * blockDim.x + t], if it exists
extern "C" __global__ void interleave(const float* x, const float* y, float* out, int n) {
    // Your turn: which element is mine, and from which array does it come?
    // BEGIN SOLUTION
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i % 2 == 0 ? x[i / 2] : y[i / 2];
    // END SOLUTION
}
