// A picture upside down.
//
//   picture, turned  float[rows, cols], picture only read, turned written:
//                    turned[row, col] = picture[rows - 1 - row, col]
//   block            two dimensions, x along a row
extern "C" __global__ void upside_down(const float* picture, float* turned, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols) return;
    const int opposite = rows - 1 - row;
    // BEGIN SOLUTION
    turned[row * cols + col] = picture[opposite * cols + col];
    // END SOLUTION
}
