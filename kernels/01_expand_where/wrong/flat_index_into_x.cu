// expand_2d must get out_of_bounds on line 7: an index into out is no index into x, which may be smaller
extern "C" __global__ void expand_2d(const float* x, float* out, int rows, int cols, int row_stride,
                                     int col_stride) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < rows * cols) {
        out[i] = x[i];
    }
}
