// saxpy must get out_of_bounds on line 4: the last element is n - 1, and this guard lets thread n pass
extern "C" __global__ void saxpy(const float* x, const float* y, float* out, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = a * x[i] + y[i];
}
