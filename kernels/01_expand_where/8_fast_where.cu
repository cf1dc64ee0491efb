// where(cond, x, y) in any number of dimensions, without a division.
//
//   cond, x, y, out, the strides, dims   as for where
//   n                    elements of out, at most 2^31
//   shape, multipliers, shifts           as for fast_expand
extern "C" __global__ void fast_where(const unsigned char* cond, const float* x, const float* y,
                                      float* out, const unsigned* shape,
                                      const unsigned* multipliers, const int* shifts,
                                      const int* cond_strides, const int* x_strides,
                                      const int* y_strides, int dims, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned rest = i;
    int cond_place = 0, x_place = 0, y_place = 0;
    for (int d = dims - 1; d >= 0; d--) {
        const unsigned quotient = (rest + __umulhi(rest, multipliers[d])) >> shifts[d];
        const int coordinate = rest - quotient * shape[d];
        cond_place += coordinate * cond_strides[d];
        x_place += coordinate * x_strides[d];
        y_place += coordinate * y_strides[d];
        rest = quotient;
    }
    out[i] = cond[cond_place] ? x[x_place] : y[y_place];
}
