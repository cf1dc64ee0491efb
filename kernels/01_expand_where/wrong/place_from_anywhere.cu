// expand must get uninitialized_read on line 11: place is added to before it has a value: the index starts anywhere
extern "C" __global__ void expand(const float* x, float* out, const int* shape, const int* strides,
                                  int dims, unsigned first, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count) return;
    unsigned rest = first + i;
    int place;
    for (int d = dims - 1; d >= 0; d--) {
        const int coordinate = rest % shape[d];
        place += coordinate * strides[d];
        rest /= shape[d];
    }
    out[i] = x[place];
}
