// mirror must get out_of_bounds on line 6: no guard, so threads beyond the edges read and write beyond the picture
extern "C" __global__ void mirrored(const float* picture, float* mirror, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int opposite = cols - 1 - col;
    mirror[row * cols + col] = picture[row * cols + opposite];
}
