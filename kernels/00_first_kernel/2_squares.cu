// How far every element is from the mean, squared.
//
//   x  float[n], only read
//   y  float[n], written; y[i] = (x[i] - mean) * (x[i] - mean)
extern "C" __global__ void squares(const float* x, float* y, float mean, int n) {
    // BEGIN SOLUTION
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float distance = x[i] - mean;
    y[i] = distance * distance;
    // END SOLUTION
}
