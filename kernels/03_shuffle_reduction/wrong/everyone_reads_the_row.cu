// below_max must get over_budget: every lane looks through its whole row: right, and each element is loaded many times
extern "C" __global__ void below_max(const float* x, float* y, int rows, int columns, int width) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = thread / width;
    const int column = thread % width;

    if (row >= rows || column >= columns) return;
    float largest = -INFINITY;
    for (int c = 0; c < columns; c++) largest = fmaxf(largest, x[row * columns + c]);
    y[row * columns + column] = x[row * columns + column] - largest;
}
