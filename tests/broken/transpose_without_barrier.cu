// data_race on line 15: a column of the tile is read before other threads have written their rows
// launch: grid=(2, 2), block=(32, 8), x=noise((64, 64)), out=zeros((64, 64)), n=int32(64)
// expect: out = x.T
extern "C" __global__ void transpose_without_barrier(const float* x, float* out, int n) {
    __shared__ float tile[32][33];
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        tile[threadIdx.y + k][threadIdx.x] = x[(row + k) * n + column];
    }
#ifdef FIXED
    __syncthreads();
#endif
    column = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        out[(row + k) * n + column] = tile[threadIdx.x][threadIdx.y + k];
    }
}
