// below_max must get shuffle_divergence on line 14: lanes without an element have left, and the mask still names them
extern "C" __global__ void below_max(const float* x, float* y, int rows, int columns, int width) {
    const unsigned everyone = 0xffffffff;
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = thread / width;
    const int column = thread % width;

    if (row >= rows || column >= columns) return;
    const int i = row * columns + column;
    const float value = x[i];

    float largest = value;
    for (int offset = width / 2; offset > 0; offset /= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(everyone, largest, offset));
    }
    y[i] = value - largest;
}
