// Transpose of a matrix: y[col][row] = x[row][col]. One thread per element.
//
//   x      float[rows][cols], only read
//   y      float[cols][rows], written
//   block  32 x 8 threads; the grid covers all columns (x) and all rows (y)
extern "C" __global__ void naive_transpose(const float* x, float* y, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols) return;
    // BEGIN SOLUTION
    y[col * rows + row] = x[row * cols + col];
    // END SOLUTION
}
