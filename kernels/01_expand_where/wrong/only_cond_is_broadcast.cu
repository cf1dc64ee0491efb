// where must get out_of_bounds on line 15: x and y are read at the flat index, as if only cond were expanded
extern "C" __global__ void where(const unsigned char* cond, const float* x, const float* y,
                                 float* out, const int* shape, const int* cond_strides,
                                 const int* x_strides, const int* y_strides, int dims, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n) return;
    int rest = i;
    int place = 0;
    for (int d = dims - 1; d >= 0; d--) {
        const int coordinate = rest % shape[d];
        place += coordinate * cond_strides[d];
        rest /= shape[d];
    }
    out[i] = cond[place] ? x[i] : y[i];
}
