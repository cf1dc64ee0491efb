// saxpy must get wrong_answer: gridDim in place of blockDim: the blocks overlap, and the end is nobody's
extern "C" __global__ void saxpy(const float* x, const float* y, float* out, float a, int n) {
    const int i = blockIdx.x * gridDim.x + threadIdx.x;
    if (i < n) out[i] = a * x[i] + y[i];
}
