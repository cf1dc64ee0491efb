// saxpy must get wrong_answer: the index leaves out the block, so all blocks do the work of the first
extern "C" __global__ void saxpy(const float* x, const float* y, float* out, float a, int n) {
    const int i = threadIdx.x;
    if (i < n) out[i] = a * x[i] + y[i];
}
