// Expand in three dimensions: out[plane, row, col] = x[...], where any of x's strides may be 0.
//
//   x    float[], only read; (plane, row, col) lies at x[plane * plane_stride + row * row_stride +
//        col * col_stride]
//   out  float[planes, rows, cols], written, n elements; thread t of block b owns
//        out[b * blockDim.x + t], if it exists
extern "C" __global__ void three_coordinates(const float* x, float* out, int rows, int cols,
                                             int plane_stride, int row_stride, int col_stride,
                                             int n) {
    // BEGIN SOLUTION
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int col = i % cols;
    const int rest = i / cols;
    const int row = rest % rows;
    const int plane = rest / rows;
    out[i] = x[plane * plane_stride + row * row_stride + col * col_stride];
    // END SOLUTION
}
