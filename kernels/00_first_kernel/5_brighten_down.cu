// Make a picture brighter, with the grid laid over it the other way round.
//
//   picture   float[rows, cols], only read
//   brighter  float[rows, cols], written
//   grid      two dimensions: x runs from row to row, y along a row
//
// One thread per pixel: thread (x, y) of the grid owns column y of row x.
extern "C" __global__ void brighten_down(const float* picture, float* brighter, float factor,
                                         int rows, int cols) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        const int i = row * cols + col;  // `row` full rows lie before mine
        brighter[i] = fminf(factor * picture[i], 1.0f);
    }
}
