// The variances of short rows, each row by one thread alone.
//
//   x         float[rows][columns], only read
//   variance  float[rows], written: the mean of the squared distances from the row's mean
extern "C" __global__ void variance_of_rows(const float* x, float* variance, int rows,
                                            int columns) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f, squares = 0.0f;
    for (int c = 0; c < columns; c++) sum += x[row * columns + c];
    const float mean = sum / columns;
    for (int c = 0; c < columns; c++) {
        const float value = x[row * columns + c];
        // BEGIN SOLUTION
        squares += (value - mean) * (value - mean);
        // END SOLUTION
    }
    variance[row] = squares / columns;
}
