// Multiply every element of x by a, in the hope that there are as many threads as elements.
//
//   x  float[n], only read
//   y  float[n], written; y[i] = a * x[i]
extern "C" __global__ void no_guard(const float* x, float* y, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i];
}
