// Softmax of rows of 32 elements, directly by the formula: exp, sum, division.
//
//   x      float[gridDim.x][32], only read; lane t of block b owns x[b][t]
//   y      float[gridDim.x][32], written; y[b][t] = exp(x[b][t]) / the sum of exp over row b
//   block  one warp
extern "C" __global__ void naive_softmax(const float* x, float* y) {
    const int i = blockIdx.x * 32 + threadIdx.x;

    const float e = expf(x[i]);

    float sum = e;
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, offset);  // in the end every lane has the sum
    }
    y[i] = e / sum;
}
