// add_bias must get out_of_bounds on line 8: the columns are guarded and the rows are not
extern "C" __global__ void add_bias(const float* x, const float* bias, float* out, int rows,
                                    int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col < cols) {
        const int i = row * cols + col;
        out[i] = x[i] + bias[col];
    }
}
