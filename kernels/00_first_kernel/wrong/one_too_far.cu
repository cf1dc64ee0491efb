// mirror must get out_of_bounds on line 7: opposite column 0 is column cols - 1: the columns count from 0
extern "C" __global__ void mirrored(const float* picture, float* mirror, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        const int opposite = cols - col;
        mirror[row * cols + col] = picture[row * cols + opposite];
    }
}
