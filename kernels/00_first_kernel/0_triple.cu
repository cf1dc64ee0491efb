// Three times every element.
//
//   x  float[n], only read
//   y  float[n], written; y[i] = 3 * x[i]
extern "C" __global__ void triple(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;  // which element is mine
    if (i < n) {
        // BEGIN SOLUTION
        y[i] = 3.0f * x[i];
        // END SOLUTION
    }
}
