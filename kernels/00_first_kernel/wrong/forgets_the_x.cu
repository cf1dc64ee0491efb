// saxpy must get compile_error on line 3: threadIdx has three parts, and the index wants the one called x
extern "C" __global__ void saxpy(const float* x, const float* y, float* out, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx;
    if (i < n) out[i] = a * x[i] + y[i];
}
