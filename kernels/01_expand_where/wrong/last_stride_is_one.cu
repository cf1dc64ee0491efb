// expand must get out_of_bounds on line 14: takes it that the last dimension of x has stride 1
extern "C" __global__ void expand(const float* x, float* out, const int* shape, const int* strides,
                                  int dims, unsigned first, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count) return;
    unsigned rest = first + i;
    int place = 0;
    for (int d = dims - 1; d >= 0; d--) {
        const int coordinate = rest % shape[d];
        place += d == dims - 1 ? coordinate : coordinate * strides[d];
        rest /= shape[d];
    }
    out[i] = x[place];
}
