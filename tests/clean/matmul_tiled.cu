// clean: two barriers a tile, zeros past the edges
// launch: grid=(3, 2), block=(16, 16), a=noise((30, 41)), b=noise((41, 37), 1), c=zeros((30, 37)), m=int32(30), k=int32(41), n=int32(37)
// expect: c = a @ b
extern "C" __global__ void matmul_tiled(const float* a, const float* b, float* c, int m, int k,
                                        int n) {
    __shared__ float left[16][16], right[16][16];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0.0f;
    for (int first = 0; first < k; first += 16) {
        left[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
        right[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
        __syncthreads();
        for (int j = 0; j < 16; ++j) sum += left[y][j] * right[j][x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}
