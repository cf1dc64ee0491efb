// below_max must get wrong_answer: from offset 16 on, a row of 8 hears of its neighbours' elements
extern "C" __global__ void below_max(const float* x, float* y, int rows, int columns, int width) {
    const unsigned everyone = 0xffffffff;
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = thread / width;
    const int column = thread % width;

    const bool mine = row < rows && column < columns;
    const int i = row * columns + column;
    const float value = mine ? x[i] : -INFINITY;

    float largest = value;
    for (int offset = 16; offset > 0; offset /= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(everyone, largest, offset));
    }
    if (mine) y[i] = value - largest;
}
