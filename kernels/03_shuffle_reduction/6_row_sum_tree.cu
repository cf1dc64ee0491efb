// Sum of every row of a matrix, one block per row: in shared memory, as in the last lesson.
//
//   x      float[gridDim.x][columns], only read; block r owns row r, its thread t owns elements
//          t, t + blockDim.x, t + 2 * blockDim.x, ...
//   total  float[gridDim.x], written; total[r] is the sum of row r
//   block  a power of two, at most 256 threads
extern "C" __global__ void row_sum_tree(const float* x, float* total, int columns) {
    __shared__ float tile[256];  // tile[t]: the sum gathered so far in the cell of thread t
    const int thread = threadIdx.x;
    const float* row = x + static_cast<size_t>(blockIdx.x) * columns;

    float sum = 0.0f;
    for (int c = thread; c < columns; c += blockDim.x) sum += row[c];

    tile[thread] = sum;
    __syncthreads();  // wait: the next step reads cells of other threads
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (thread < stride) tile[thread] += tile[thread + stride];
        __syncthreads();  // this step's sums are the next step's inputs
    }

    if (thread == 0) total[blockIdx.x] = tile[0];
}
