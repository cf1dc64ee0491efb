// Mean and variance of short rows in one pass, each row by one thread alone.
//
//   x         float[rows][columns], only read
//   mean      float[rows], written
//   variance  float[rows], written: the mean of the squared distances from the mean
extern "C" __global__ void welford_lines(const float* x, float* mean, float* variance, int rows,
                                         int columns) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float n = 0.0f, center = 0.0f, m2 = 0.0f;
    // BEGIN SOLUTION
    for (int c = 0; c < columns; c++) {
        const float value = x[row * columns + c];
        const float delta = value - center;
        n += 1.0f;
        center += delta / n;
        m2 += delta * (value - center);
    }
    // END SOLUTION
    mean[row] = center;
    variance[row] = m2 / n;
}
