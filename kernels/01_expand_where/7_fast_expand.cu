// Expand in any number of dimensions, without a division.
//
//   x, out, strides, dims, count   as for expand
//   shape        unsigned[dims], the shape of the expanded array
//   multipliers  unsigned[dims], and shifts  int[dims]: for every n below 2^31,
//                n / shape[d] = (n + (n * multipliers[d] >> 32)) >> shifts[d], in exact arithmetic
//   first        the flat index of out[0] in the expanded array; first + count is at most 2^31
extern "C" __global__ void fast_expand(const float* x, float* out, const unsigned* shape,
                                       const unsigned* multipliers, const int* shifts,
                                       const int* strides, int dims, unsigned first, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;

    unsigned rest = first + i;
    int place = 0;
    for (int d = dims - 1; d >= 0; d--) {
        // Your turn: __umulhi(a, b) is the upper half, a * b >> 32, of the 64-bit product.
        // BEGIN SOLUTION
        const unsigned quotient = (rest + __umulhi(rest, multipliers[d])) >> shifts[d];
        const int coordinate = rest - quotient * shape[d];
        place += coordinate * strides[d];
        rest = quotient;
        // END SOLUTION
    }
    out[i] = x[place];
}
