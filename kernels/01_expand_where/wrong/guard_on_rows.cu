// expand_2d must get wrong_answer: guards with the number of rows, so most of out is never written
extern "C" __global__ void expand_2d(const float* x, float* out, int rows, int cols, int row_stride,
                                     int col_stride) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < rows) {
        const int row = i / cols;
        const int col = i % cols;
        out[i] = x[row * row_stride + col * col_stride];
    }
}
