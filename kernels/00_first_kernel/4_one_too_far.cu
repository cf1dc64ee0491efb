// Half of every element.
//
//   x  float[n], only read
//   y  float[n], written; y[i] = x[i] / 2
extern "C" __global__ void one_too_far(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION
    if (i <= n) {
        // END SOLUTION
        y[i] = 0.5f * x[i];
    }
}
