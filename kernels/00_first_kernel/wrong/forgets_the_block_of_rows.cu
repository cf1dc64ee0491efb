// add_bias must get wrong_answer: the row leaves out the block, so only the first rows are done
extern "C" __global__ void add_bias(const float* x, const float* bias, float* out, int rows,
                                    int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = threadIdx.y;
    if (row < rows && col < cols) {
        const int i = row * cols + col;
        out[i] = x[i] + bias[col];
    }
}
