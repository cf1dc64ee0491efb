// add_bias must get data_race on line 8: a row has cols elements, not rows, so two threads meet in one place
extern "C" __global__ void add_bias(const float* x, const float* bias, float* out, int rows,
                                    int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        const int i = row * rows + col;
        out[i] = x[i] + bias[col];
    }
}
