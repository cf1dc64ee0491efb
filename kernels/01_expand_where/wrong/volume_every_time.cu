// expand must get over_budget: multiplies up the sizes behind a dimension anew, for every dimension
extern "C" __global__ void expand(const float* x, float* out, const int* shape, const int* strides,
                                  int dims, unsigned first, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count) return;
    const unsigned flat = first + i;
    int place = 0;
    for (int d = 0; d < dims; d++) {
        unsigned volume = 1;  // of a slice: the product of the sizes behind dimension d
        for (int later = d + 1; later < dims; later++) volume *= shape[later];
        place += flat / volume % shape[d] * strides[d];
    }
    out[i] = x[place];
}
