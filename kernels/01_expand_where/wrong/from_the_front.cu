// expand must get wrong_answer: begins with the first dimension, but the last runs fastest
extern "C" __global__ void expand(const float* x, float* out, const int* shape, const int* strides,
                                  int dims, unsigned first, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count) return;
    unsigned rest = first + i;
    int place = 0;
    for (int d = 0; d < dims; d++) {
        const int coordinate = rest % shape[d];
        place += coordinate * strides[d];
        rest /= shape[d];
    }
    out[i] = x[place];
}
