// fast_expand must get out_of_bounds on line 16: the lower half of the product, where the upper one is meant
extern "C" __global__ void fast_expand(const float* x, float* out, const unsigned* shape,
                                       const unsigned* multipliers, const int* shifts,
                                       const int* strides, int dims, unsigned first, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;

    unsigned rest = first + i;
    int place = 0;
    for (int d = dims - 1; d >= 0; d--) {
        const unsigned quotient = (rest + rest * multipliers[d]) >> shifts[d];
        const int coordinate = rest - quotient * shape[d];
        place += coordinate * strides[d];
        rest = quotient;
    }
    out[i] = x[place];
}
