// Each column has a number: add it to every element of the column, as many neural networks do.
//
//   x     float[rows, cols], only read
//   bias  float[cols], only read
//   out   float[rows, cols], written; out[row, col] = x[row, col] + bias[col]
//   grid  two dimensions: x runs along a row, y from row to row
extern "C" __global__ void add_bias(const float* x, const float* bias, float* out, int rows,
                                    int cols) {
    // Your turn: which column and row are mine, do they exist, and where in memory do they lie?
    // BEGIN SOLUTION
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        const int i = row * cols + col;
        out[i] = x[i] + bias[col];
    }
    // END SOLUTION
}
