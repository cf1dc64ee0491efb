// clean: a tile with one more column than it needs
// launch: grid=(3, 2), block=(32, 8), x=noise((50, 70)), out=zeros((70, 50)), rows=int32(50), columns=int32(70)
// expect: out = x.T
extern "C" __global__ void transpose_padded(const float* x, float* out, int rows, int columns) {
    __shared__ float tile[32][33];
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        if (column < columns && row + k < rows)
            tile[threadIdx.y + k][threadIdx.x] = x[(row + k) * columns + column];
    }
    __syncthreads();
    column = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        if (column < rows && row + k < columns)
            out[(row + k) * rows + column] = tile[threadIdx.x][threadIdx.y + k];
    }
}
