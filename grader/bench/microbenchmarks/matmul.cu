// c = a b, all float[n][n], n a multiple of 16; blocks of 16 x 16 threads own a tile of c each.
extern "C" __global__ void matmul_naive(const float* a, const float* b, float* c, int n) {
    const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ void matmul_tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float left[16][16], right[16][16];
    const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0.0f;
    for (int first = 0; first < n; first += 16) {
        left[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + column];
        __syncthreads();  // both tiles are complete
        for (int k = 0; k < 16; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();  // nobody needs them any more
    }
    c[row * n + column] = sum;
}
