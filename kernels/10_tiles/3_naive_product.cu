// Matrix product c = a b. One thread per element of c; each reads a row of a and a column of b.
//
//   a, b   float[m][k] and float[k][n], only read
//   c      float[m][n], written
//   block  16 x 16 threads; the grid covers all columns (x) and all rows (y) of c
extern "C" __global__ void naive_product(const float* a, const float* b, float* c, int m, int n,
                                         int k) {
    const int col = 16 * blockIdx.x + threadIdx.x;
    const int row = 16 * blockIdx.y + threadIdx.y;
    if (row >= m || col >= n) return;
    float sum = 0.0f;
    for (int j = 0; j < k; j++) sum += a[row * k + j] * b[j * n + col];
    c[row * n + col] = sum;
}
