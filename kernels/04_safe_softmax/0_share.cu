// Each element divided by a given sum.
//
//   x    float[n], only read
//   sum  float[1], only read: the sum of x
//   y    float[n], written; y[i] = x[i] / sum[0]
extern "C" __global__ void share(const float* x, const float* sum, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION
    if (i < n) y[i] = x[i] / *sum;
    // END SOLUTION
}
