// Multiply every element of x by a.
//
//   x  float[n], only read
//   y  float[n], written; y[i] = a * x[i]
//
// One thread per element: thread i of the grid owns x[i] and y[i].
extern "C" __global__ void scale(const float* x, float* y, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i];
}
