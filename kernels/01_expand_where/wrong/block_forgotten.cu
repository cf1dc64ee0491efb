// expand_2d must get wrong_answer: every block starts at element 0, so all write the same elements
extern "C" __global__ void expand_2d(const float* x, float* out, int rows, int cols, int row_stride,
                                     int col_stride) {
    const int i = threadIdx.x;

    if (i < rows * cols) {
        const int row = i / cols;
        const int col = i % cols;
        out[i] = x[row * row_stride + col * col_stride];
    }
}
