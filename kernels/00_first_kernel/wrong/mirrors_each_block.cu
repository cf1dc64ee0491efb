// mirror must get out_of_bounds on line 7: back to front within the block, and the blocks stay where they are
extern "C" __global__ void mirrored(const float* picture, float* mirror, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        const int opposite = blockIdx.x * blockDim.x + blockDim.x - 1 - threadIdx.x;
        mirror[row * cols + col] = picture[row * cols + opposite];
    }
}
