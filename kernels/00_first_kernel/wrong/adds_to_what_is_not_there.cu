// saxpy must get uninitialized_read on line 4: += reads out first, in which nothing has been written yet
extern "C" __global__ void saxpy(const float* x, const float* y, float* out, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] += a * x[i] + y[i];
}
