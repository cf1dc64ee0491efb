// add_bias must get wrong_answer: x of the grid runs along a row, and this kernel takes it for the row
extern "C" __global__ void add_bias(const float* x, const float* bias, float* out, int rows,
                                    int cols) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        const int i = row * cols + col;
        out[i] = x[i] + bias[col];
    }
}
