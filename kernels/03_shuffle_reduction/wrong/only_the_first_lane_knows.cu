// below_max must get wrong_answer: after a fold downwards only the first lane of a segment is right
extern "C" __global__ void below_max(const float* x, float* y, int rows, int columns, int width) {
    const unsigned everyone = 0xffffffff;
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = thread / width;
    const int column = thread % width;

    const bool mine = row < rows && column < columns;
    const int i = row * columns + column;
    const float value = mine ? x[i] : -INFINITY;

    float largest = value;
    for (int offset = width / 2; offset > 0; offset /= 2) {
        largest = fmaxf(largest, __shfl_down_sync(everyone, largest, offset));
    }
    if (mine) y[i] = value - largest;
}
