// Mirror a picture: left becomes right.
//
//   picture  float[rows, cols], only read
//   mirror   float[rows, cols], written; every row of the picture mirrored: its last pixel comes first
//   grid     two dimensions: x runs along a row, y from row to row
extern "C" __global__ void mirrored(const float* picture, float* mirror, int rows, int cols) {
    // Your turn, from the first line to the last.
    // BEGIN SOLUTION
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        const int opposite = cols - 1 - col;
        mirror[row * cols + col] = picture[row * cols + opposite];
    }
    // END SOLUTION
}
