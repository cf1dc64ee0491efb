// mirror must get wrong_answer: the rows change places, and not the columns
extern "C" __global__ void mirrored(const float* picture, float* mirror, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        const int opposite = rows - 1 - row;
        mirror[row * cols + col] = picture[opposite * cols + col];
    }
}
