// How far each element lies below the largest of its row, for rows of at most 32 elements.
//
//   x      float[rows][columns], only read
//   y      float[rows][columns], written; y[r][c] = x[r][c] - the largest of row r, so 0 or less
//   width  the number of neighbouring lanes per row: 1, 2, 4, 8, 16 or 32, at least `columns`
//   block  whole warps; thread t of the whole grid belongs to row t / width, if there is one
extern "C" __global__ void below_max(const float* x, float* y, int rows, int columns, int width) {
    const unsigned full_mask = 0xffffffff;
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = thread / width;
    const int column = thread % width;

    // Your turn: which lanes own an element, what do the others hold, which lane reads from which?
    // BEGIN SOLUTION
    const bool mine = row < rows && column < columns;
    const int i = row * columns + column;
    const float value = mine ? x[i] : -INFINITY;  // the identity of max: it never wins

    float largest = value;
    for (int offset = width / 2; offset > 0; offset /= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(full_mask, largest, offset));
    }
    if (mine) y[i] = value - largest;
    // END SOLUTION
}
