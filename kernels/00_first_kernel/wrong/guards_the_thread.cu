// saxpy must get out_of_bounds on line 4: the guard asks for the number in the block, not for the element
extern "C" __global__ void saxpy(const float* x, const float* y, float* out, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < n) out[i] = a * x[i] + y[i];
}
