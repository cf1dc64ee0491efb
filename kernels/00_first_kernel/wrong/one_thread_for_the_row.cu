// mirror must get over_budget: one thread walks along the row, though there is a thread for each pixel
extern "C" __global__ void mirrored(const float* picture, float* mirror, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col == 0) {
        for (int c = 0; c < cols; c++) {
            mirror[row * cols + c] = picture[row * cols + cols - 1 - c];
        }
    }
}
