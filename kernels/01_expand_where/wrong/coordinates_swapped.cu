// expand_2d must get wrong_answer: quotient and remainder are mixed up, so rows count as columns
extern "C" __global__ void expand_2d(const float* x, float* out, int rows, int cols, int row_stride,
                                     int col_stride) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < rows * cols) {
        const int row = i % cols;
        const int col = i / cols;
        out[i] = x[row * row_stride + col * col_stride];
    }
}
