// Expand in two dimensions, as before, but the threads are numbered down the columns.
//
//   x    float[], only read; its element (row, col) lies at x[row * row_stride + col * col_stride],
//        and a stride is 0 along a dimension in which x is expanded
//   out  float[rows, cols], written; thread i of the grid owns row i % rows of column i / rows
extern "C" __global__ void down_columns(const float* x, float* out, int rows, int cols,
                                        int row_stride, int col_stride) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < rows * cols) {
        const int row = i % rows;
        const int col = i / rows;
        out[row * cols + col] = x[row * row_stride + col * col_stride];
    }
}
