// A copy of a square matrix of 32 by 32, by a single block of 1,024 threads.
//
//   x, out  float[32, 32], x only read, out written; out[row, col] = x[row, col]
extern "C" __global__ void worst_copy(const float* x, float* out) {
    // BEGIN SOLUTION
    const int row = threadIdx.x % 32;
    const int col = threadIdx.x / 32;
    // END SOLUTION
    out[row * 32 + col] = x[row * 32 + col];
}
