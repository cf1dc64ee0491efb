// expand must get out_of_bounds on line 10: room for four coordinates, and arrays have up to eight dimensions
extern "C" __global__ void expand(const float* x, float* out, const int* shape, const int* strides,
                                  int dims, unsigned first, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count) return;
    int coordinates[4];
    unsigned rest = first + i;
    for (int d = dims - 1; d >= 0; d--) {
        coordinates[d] = rest % shape[d];
        rest /= shape[d];
    }
    int place = 0;
    for (int d = 0; d < dims; d++) place += coordinates[d] * strides[d];
    out[i] = x[place];
}
