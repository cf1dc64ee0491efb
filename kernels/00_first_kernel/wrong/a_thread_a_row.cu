// add_bias must get over_budget: one thread walks along the row, though there is a thread for each element
extern "C" __global__ void add_bias(const float* x, const float* bias, float* out, int rows,
                                    int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col == 0) {
        for (int c = 0; c < cols; c++) {
            out[row * cols + c] = x[row * cols + c] + bias[c];
        }
    }
}
