// By how much each element is larger than the one before it.
//
//   x  float[n], only read
//   y  float[n], written; y[0] = 0, and y[i] = x[i] - x[i - 1] for all others
extern "C" __global__ void rise(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION
    if (i >= n) return;
    // END SOLUTION
    if (i == 0) {
        y[i] = 0.0f;
    } else {
        y[i] = x[i] - x[i - 1];
    }
}
