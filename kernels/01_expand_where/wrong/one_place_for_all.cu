// where must get out_of_bounds on line 15: reads x and y at the place of cond; each has its own strides
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
    out[i] = cond[place] ? x[place] : y[place];
}
