// expand_2d must get over_budget: a thread fills a whole row alone, as on a CPU, so a warp stores to 32 rows
extern "C" __global__ void expand_2d(const float* x, float* out, int rows, int cols, int row_stride,
                                     int col_stride) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < rows) {
        for (int col = 0; col < cols; col++) {
            out[i * cols + col] = x[i * row_stride + col * col_stride];
        }
    }
}
