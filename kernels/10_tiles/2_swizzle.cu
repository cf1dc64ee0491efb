// Transpose of a matrix by tiles of 32 x 32 elements that lie in exactly 32 x 32 cells.
//
//   x      float[rows][cols], only read
//   y      float[cols][rows], written
//   block  32 x 8 threads; the grid covers all columns (x) and all rows (y), 32 at a time

// The cell of the tile for an element: from 0 to 1,023, and different for any two elements.
__device__ int cell(int row, int col) {
    // BEGIN SOLUTION
    return 32 * row + (col ^ row);
    // END SOLUTION
}

extern "C" __global__ void swizzle(const float* x, float* y, int rows, int cols) {
    __shared__ float tile[32 * 32];
    const int left = 32 * blockIdx.x, top = 32 * blockIdx.y;  // the tile's corner in x
    const int lane = threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += 8) {
        if (top + k < rows && left + lane < cols) {
            tile[cell(k, lane)] = x[(top + k) * cols + left + lane];
        }
    }
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8) {
        if (left + k < cols && top + lane < rows) {
            y[(left + k) * rows + top + lane] = tile[cell(lane, k)];
        }
    }
}
