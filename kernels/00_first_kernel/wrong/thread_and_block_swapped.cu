// saxpy must get over_budget: neighbouring threads own elements that lie a whole grid apart
extern "C" __global__ void saxpy(const float* x, const float* y, float* out, float a, int n) {
    const int i = threadIdx.x * gridDim.x + blockIdx.x;
    if (i < n) out[i] = a * x[i] + y[i];
}
