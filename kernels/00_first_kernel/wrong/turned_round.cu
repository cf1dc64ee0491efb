// mirror must get wrong_answer: from the last pixel to the first: that is half a turn, not a mirror
extern "C" __global__ void mirrored(const float* picture, float* mirror, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        const int opposite = rows * cols - 1 - (row * cols + col);
        mirror[row * cols + col] = picture[opposite];
    }
}
