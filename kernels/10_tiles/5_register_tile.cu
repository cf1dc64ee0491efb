// Matrix product c = a b: each block makes 64 x 64 elements of c, each thread 4 x 4 in registers.
//
//   a, b   float[m][k] and float[k][n], only read; m and n multiples of 64, k of 8
//   c      float[m][n], written; begins at a multiple of 16 bytes
//   block  16 x 16 threads; the grid has n / 64 blocks (x) by m / 64 blocks (y)
extern "C" __global__ void register_tile(const float* a, const float* b, float* c, int m, int n,
                                         int k) {
    // Pack p of row j: rows 4 p to 4 p + 3 of a, or columns 4 p to 4 p + 3 of b. Pack 16: padding.
    __shared__ float4 of_a[8][17], of_b[8][17];
    const int tx = threadIdx.x, ty = threadIdx.y, t = 16 * ty + tx;
    const int top = 64 * blockIdx.y, left = 64 * blockIdx.x;
    float4 sums[4] = {};  // sums[r]: row top + 4 ty + r, columns left + 4 tx to left + 4 tx + 3
    for (int first = 0; first < k; first += 8) {
        for (int e = t; e < 512; e += 256) {  // the tile of a is transposed: a pack is 4 rows
            ((float*)of_a[e % 8])[e / 8] = a[(top + e / 8) * k + first + e % 8];
            ((float*)of_b[e / 64])[e % 64] = b[(first + e / 64) * n + left + e % 64];
        }
        __syncthreads();
        for (int j = 0; j < 8; j++) {
            // Your turn: one float4 of each tile, and 16 products.
            // BEGIN SOLUTION
            const float4 rows = of_a[j][ty], cols = of_b[j][tx];
            const float row[4] = {rows.x, rows.y, rows.z, rows.w};
            for (int r = 0; r < 4; r++) {
                sums[r].x += row[r] * cols.x;
                sums[r].y += row[r] * cols.y;
                sums[r].z += row[r] * cols.z;
                sums[r].w += row[r] * cols.w;
            }
            // END SOLUTION
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++) ((float4*)(c + (top + 4 * ty + r) * n + left))[tx] = sums[r];
}
