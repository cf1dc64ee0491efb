// mirror must get data_race on line 8: each thread swaps two pixels, so every place is written by two threads
extern "C" __global__ void mirrored(const float* picture, float* mirror, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        const int opposite = cols - 1 - col;
        mirror[row * cols + col] = picture[row * cols + opposite];
        mirror[row * cols + opposite] = picture[row * cols + col];
    }
}
