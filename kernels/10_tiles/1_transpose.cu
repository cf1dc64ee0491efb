// Transpose of a matrix through shared memory: one tile of 32 x 32 elements per block.
//
//   x      float[rows][cols], only read
//   y      float[cols][rows], written
//   block  32 x 8 threads; the grid covers all columns (x) and all rows (y), 32 at a time
extern "C" __global__ void transpose(const float* x, float* y, int rows, int cols) {
    const int left = 32 * blockIdx.x, top = 32 * blockIdx.y;  // the tile's corner in x
    const int lane = threadIdx.x;

    // Your turn: move one element of each of four rows to shared memory, and four back from it.
    // BEGIN SOLUTION
    __shared__ float tile[32][33];  // one spare cell per row: a column has 32 different banks
    for (int k = threadIdx.y; k < 32; k += 8) {
        if (top + k < rows && left + lane < cols) {
            tile[k][lane] = x[(top + k) * cols + left + lane];
        }
    }
    __syncthreads();  // the whole tile is there
    for (int k = threadIdx.y; k < 32; k += 8) {
        if (left + k < cols && top + lane < rows) {
            y[(left + k) * rows + top + lane] = tile[lane][k];
        }
    }
    // END SOLUTION
}
