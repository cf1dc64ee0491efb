// expand_2d must get out_of_bounds on line 9: takes it that neighbouring columns are neighbours in x
extern "C" __global__ void expand_2d(const float* x, float* out, int rows, int cols, int row_stride,
                                     int col_stride) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < rows * cols) {
        const int row = i / cols;
        const int col = i % cols;
        out[i] = x[row * row_stride + col];
    }
}
