// expand_2d must get wrong_answer: divides by the number of rows; what runs fastest is the column
extern "C" __global__ void expand_2d(const float* x, float* out, int rows, int cols, int row_stride,
                                     int col_stride) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < rows * cols) {
        const int row = i / rows;
        const int col = i % rows;
        out[i] = x[row * row_stride + col * col_stride];
    }
}
