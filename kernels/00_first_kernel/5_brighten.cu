// Make a picture brighter. 0 is black and 1 is white; nothing becomes whiter than white.
//
//   picture   float[rows, cols], only read
//   brighter  float[rows, cols], written
//   grid      two dimensions: x runs along a row, y from row to row
//
// One thread per pixel: thread (x, y) of the grid owns column x of row y.
extern "C" __global__ void brighten(const float* picture, float* brighter, float factor, int rows,
                                    int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        const int i = row * cols + col;  // `row` full rows lie before mine
        brighter[i] = fminf(factor * picture[i], 1.0f);
    }
}
