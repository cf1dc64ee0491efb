// clean: one barrier a tile is enough with two buffers
// launch: grid=(2, 2), block=(16, 16), a=noise((32, 64)), b=noise((64, 32), 1), c=zeros((32, 32))
// expect: c = a @ b
extern "C" __global__ void matmul_double_buffered(const float* a, const float* b, float* c) {
    __shared__ float left[2][16][16], right[2][16][16];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0.0f;
    for (int tile = 0; tile < 4; ++tile) {
        const int now = tile % 2;
        left[now][y][x] = a[row * 64 + tile * 16 + x];
        right[now][y][x] = b[(tile * 16 + y) * 32 + column];
        __syncthreads();
        for (int j = 0; j < 16; ++j) sum += left[now][y][j] * right[now][j][x];
    }
    c[row * 32 + column] = sum;
}
