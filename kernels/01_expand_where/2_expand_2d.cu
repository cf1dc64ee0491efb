// Expand in two dimensions: out[row, col] = x[row, col], for any strides of x.
//
//   x    float[], only read; its element (row, col) is x[row * row_stride + col * col_stride]; a
//        stride is in elements, and 0 along a dimension in which x is expanded
//   out  float[rows, cols], written; thread t of block b owns out[b * blockDim.x + t], if it exists
extern "C" __global__ void expand_2d(const float* x, float* out, int rows, int cols, int row_stride,
                                     int col_stride) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    // Your turn: which row and which column is element i of out? The last block may not be full.
    // BEGIN SOLUTION
    if (i < rows * cols) {
        const int row = i / cols;
        const int col = i % cols;
        out[i] = x[row * row_stride + col * col_stride];
    }
    // END SOLUTION
}
