// saxpy must get out_of_bounds on line 4: no guard, so threads past the end read and write beyond the arrays
extern "C" __global__ void saxpy(const float* x, const float* y, float* out, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a * x[i] + y[i];
}
