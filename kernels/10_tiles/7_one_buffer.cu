// The sums of 32 rows: one warp loads the next 32 columns while another adds those before them.
//
//   x      float[32][cols], only read; cols is a multiple of 32
//   y      float[32], written; y[r] is the sum of row r
//   block  64 threads: warp 0 loads, lane by lane along a row; warp 1 adds, one row per lane
extern "C" __global__ void one_buffer(const float* x, float* y, int cols) {
    __shared__ float tile[2][32][33];
    const int lane = threadIdx.x % 32;
    const bool loads = threadIdx.x < 32;
    float sum = 0.0f;
    for (int first = 0; first <= cols; first += 32) {
        // BEGIN SOLUTION
        const int filled = 0, used = 0;
        // END SOLUTION
        if (loads && first < cols) {
            for (int r = 0; r < 32; r++) tile[filled][r][lane] = x[r * cols + first + lane];
        }
        if (!loads && first > 0) {
            for (int j = 0; j < 32; j++) sum += tile[used][lane][j];
        }
        __syncthreads();
    }
    if (!loads) y[lane] = sum;
}
