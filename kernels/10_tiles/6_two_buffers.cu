// Matrix product c = a b over tiles of 16 x 16 elements; the next tiles load into a second buffer.
//
//   a, b   float[m][k] and float[k][n], only read; m, n, k multiples of 16
//   c      float[m][n], written
//   block  16 x 16 threads, one per element of c; the grid has n / 16 blocks (x) by m / 16 (y)
extern "C" __global__ void two_buffers(const float* a, const float* b, float* c, int m, int n,
                                       int k) {
    __shared__ float of_a[2][16][16], of_b[2][16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = 16 * blockIdx.y + ty, col = 16 * blockIdx.x + tx;
    float sum = 0.0f;
    of_a[0][ty][tx] = a[row * k + tx];
    of_b[0][ty][tx] = b[ty * n + col];
    for (int first = 0; first < k; first += 16) {
        const int now = first / 16 % 2, next = first + 16;
        // BEGIN SOLUTION
        __syncthreads();  // these tiles are there, and every thread has used those before them
        // END SOLUTION
        float next_a = 0.0f, next_b = 0.0f;
        if (next < k) {  // these loads are in flight while the thread adds
            next_a = a[row * k + next + tx];
            next_b = b[(next + ty) * n + col];
        }
        for (int j = 0; j < 16; j++) sum += of_a[now][ty][j] * of_b[now][j][tx];
        of_a[1 - now][ty][tx] = next_a;
        of_b[1 - now][ty][tx] = next_b;
    }
    c[row * n + col] = sum;
}
