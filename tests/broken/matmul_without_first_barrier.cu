// data_race on line 17, with line 12: the product starts before the tiles are loaded
// launch: grid=(2, 2), block=(16, 16), a=noise((32, 32)), b=noise((32, 32), 1), c=zeros((32, 32)), n=int32(32)
// expect: c = a @ b
extern "C" __global__ void matmul_without_first_barrier(const float* a, const float* b, float* c,
                                                        int n) {
    __shared__ float left[16][16], right[16][16];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0.0f;
    for (int k = 0; k < n; k += 16) {
        left[y][x] = a[row * n + k + x];
        right[y][x] = b[(k + y) * n + column];
#ifdef FIXED
        __syncthreads();
#endif
        for (int j = 0; j < 16; ++j) {
            sum += left[y][j] * right[j][x];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}
