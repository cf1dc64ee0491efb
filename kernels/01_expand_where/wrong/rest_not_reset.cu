// where must get wrong_answer: the first walk leaves nothing of the flat index for the others
extern "C" __global__ void where(const unsigned char* cond, const float* x, const float* y,
                                 float* out, const int* shape, const int* cond_strides,
                                 const int* x_strides, const int* y_strides, int dims, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n) return;
    int rest = i;
    int cond_place = 0, x_place = 0, y_place = 0;
    for (int d = dims - 1; d >= 0; d--) {
        cond_place += rest % shape[d] * cond_strides[d];
        rest /= shape[d];
    }
    for (int d = dims - 1; d >= 0; d--) {
        x_place += rest % shape[d] * x_strides[d];
        rest /= shape[d];
    }
    for (int d = dims - 1; d >= 0; d--) {
        y_place += rest % shape[d] * y_strides[d];
        rest /= shape[d];
    }
    out[i] = cond[cond_place] ? x[x_place] : y[y_place];
}
