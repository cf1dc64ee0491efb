// Transposes of a square matrix, x, y float[n][n], n a multiple of 32; blocks of 32 x 8 threads own
// tiles of 32 x 32.
extern "C" __global__ void transpose_naive(const float* x, float* y, int n) {
    const int column = blockIdx.x * 32 + threadIdx.x;
    for (int row = blockIdx.y * 32 + threadIdx.y; row < blockIdx.y * 32 + 32; row += 8) {
        y[column * n + row] = x[row * n + column];
    }
}

template <int PITCH>
__device__ void through_a_tile(const float* x, float* y, int n) {
    __shared__ float tile[32][PITCH];
    for (int row = threadIdx.y; row < 32; row += 8) {
        tile[row][threadIdx.x] = x[(blockIdx.y * 32 + row) * n + blockIdx.x * 32 + threadIdx.x];
    }
    __syncthreads();  // a thread reads what others wrote
    for (int row = threadIdx.y; row < 32; row += 8) {
        y[(blockIdx.x * 32 + row) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][row];
    }
}

extern "C" __global__ void transpose_tiled(const float* x, float* y, int n) {
    through_a_tile<32>(x, y, n);
}

extern "C" __global__ void transpose_padded(const float* x, float* y, int n) {
    through_a_tile<33>(x, y, n);
}
