// fast_expand must get over_budget: right, but divides
extern "C" __global__ void fast_expand(const float* x, float* out, const unsigned* shape,
                                       const unsigned* multipliers, const int* shifts,
                                       const int* strides, int dims, unsigned first, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;

    unsigned rest = first + i;
    int place = 0;
    for (int d = dims - 1; d >= 0; d--) {
        const unsigned quotient = rest / shape[d];
        const int coordinate = rest - quotient * shape[d];
        place += coordinate * strides[d];
        rest = quotient;
    }
    out[i] = x[place];
}
