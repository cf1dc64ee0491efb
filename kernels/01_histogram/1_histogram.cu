// Each thread owns one element: out[i] = 2 x[i]. Between the two comments it is handed out empty.
extern "C" __global__ void histogram(const float* x, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION
    if (i < n) out[i] = 2.0f * x[i];
    // END SOLUTION
}
