// Transpose of a matrix by tiles of 64 x 64 elements: 16 bytes per load and store, on both sides.
//
//   x      float[rows * cols], only read; rows of `cols` elements
//   y      float[cols * rows], written; rows of `rows` elements
//          both begin at a multiple of 16 bytes; rows and cols are multiples of 4
//   block  256 threads; the grid covers all rows (x) and columns (y) of the matrix, 64 at a time
//
// Step by step, with the kernel of the lesson that takes the step:
//   1  a tile in shared memory, so that both sides are read and written along rows   1_transpose.cu
//   2  a swizzle instead of spare cells                                              2_swizzle.cu
//   3  packs of 16 bytes: a thread loads 4 packs that lie below each other. These are 4 x 4
//      elements, and it turns them in its registers
//   4  neighbouring blocks take tiles below each other, so they write neighbouring parts of y
constexpr int SIDE = 16;  // of a tile, in packs

// Step 2. The cell for a pack of the turned tile: row 0 to 63, pack 0 to 15. Shared memory serves 8
// lanes with packs at a time. When they store, they differ in row / 4; when they load, in pack.
// In both cases their 8 cells are in different banks.
__device__ int cell(int row, int pack) {
    return SIDE * row + (pack ^ row / 4);
}

extern "C" __global__ void __launch_bounds__(256)
    fast_transpose(const float* x, float* y, int rows, int cols) {
    __shared__ float4 tile[4 * SIDE * SIDE];
    const int top = 64 * blockIdx.x, left = 64 * blockIdx.y;  // the tile's corner in x; step 4
    const int across = threadIdx.x % SIDE, down = threadIdx.x / SIDE;

    const int row = top + 4 * down, col = left + 4 * across;  // of 4 x 4 elements of x
    if (row < rows && col < cols) {
        float4 a[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {  // 4 loads in flight
            a[i] = *reinterpret_cast<const float4*>(x + static_cast<size_t>(row + i) * cols + col);
        }
        tile[cell(4 * across + 0, down)] = {a[0].x, a[1].x, a[2].x, a[3].x};  // step 3
        tile[cell(4 * across + 1, down)] = {a[0].y, a[1].y, a[2].y, a[3].y};
        tile[cell(4 * across + 2, down)] = {a[0].z, a[1].z, a[2].z, a[3].z};
        tile[cell(4 * across + 3, down)] = {a[0].w, a[1].w, a[2].w, a[3].w};
    }
    __syncthreads();

    const int to = top + 4 * across;  // column of y
#pragma unroll
    for (int r = down; r < 64; r += SIDE) {
        if (left + r < cols && to < rows) {
            float* place = y + static_cast<size_t>(left + r) * rows + to;
            *reinterpret_cast<float4*>(place) = tile[cell(r, across)];
        }
    }
}
