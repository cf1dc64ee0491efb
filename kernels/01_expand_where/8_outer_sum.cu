// The outer sum of two vectors: out[row, col] = a[row] + b[col].
//
//   a, b   float[rows] and float[cols], only read
//   out    float[rows, cols], written
//   block  two dimensions: x along a row, y from row to row
extern "C" __global__ void outer_sum(const float* a, const float* b, float* out, int rows,
                                     int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols) return;
    const int i = row * cols + col;
    // BEGIN SOLUTION
    out[i] = a[row] + b[col];
    // END SOLUTION
}
