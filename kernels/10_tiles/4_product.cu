// Matrix product c = a b over tiles of 16 x 16 elements in shared memory.
//
//   a, b   float[m][k] and float[k][n], only read
//   c      float[m][n], written
//   block  16 x 16 threads, one per element of c; the grid covers all columns (x) and all rows (y)
extern "C" __global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float of_a[16][16], of_b[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = 16 * blockIdx.y + ty, col = 16 * blockIdx.x + tx;
    float sum = 0.0f;
    for (int first = 0; first < k; first += 16) {
        // Your turn: a tile of a and a tile of b, one element of each per thread; then 16 products.
        // BEGIN SOLUTION
        of_a[ty][tx] = row < m && first + tx < k ? a[row * k + first + tx] : 0.0f;
        of_b[ty][tx] = first + ty < k && col < n ? b[(first + ty) * n + col] : 0.0f;
        __syncthreads();  // both tiles are there
        for (int j = 0; j < 16; j++) sum += of_a[ty][j] * of_b[j][tx];
        __syncthreads();  // every thread has used them
        // END SOLUTION
    }
    if (row < m && col < n) c[row * n + col] = sum;
}
