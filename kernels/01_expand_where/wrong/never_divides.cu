// expand must get wrong_answer: the flat index is never divided, so coordinates come from the wrong number
extern "C" __global__ void expand(const float* x, float* out, const int* shape, const int* strides,
                                  int dims, unsigned first, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count) return;
    unsigned rest = first + i;
    int place = 0;
    for (int d = dims - 1; d >= 0; d--) {
        const int coordinate = rest % shape[d];
        place += coordinate * strides[d];
    }
    out[i] = x[place];
}
