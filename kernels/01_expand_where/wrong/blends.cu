// where must get wrong_answer: 0 times NaN is NaN, so the side that is not chosen leaks into the answer
extern "C" __global__ void where(const unsigned char* cond, const float* x, const float* y,
                                 float* out, const int* shape, const int* cond_strides,
                                 const int* x_strides, const int* y_strides, int dims, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n) return;
    int rest = i;
    int cond_place = 0, x_place = 0, y_place = 0;
    for (int d = dims - 1; d >= 0; d--) {
        const int coordinate = rest % shape[d];
        cond_place += coordinate * cond_strides[d];
        x_place += coordinate * x_strides[d];
        y_place += coordinate * y_strides[d];
        rest /= shape[d];
    }
    const float chosen = cond[cond_place] != 0;
    out[i] = chosen * x[x_place] + (1 - chosen) * y[y_place];
}
