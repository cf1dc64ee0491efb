// where must get over_budget: divides the same index by the same sizes three times
__device__ int place(const int* shape, const int* strides, int dims, int rest) {
    int sum = 0;
    for (int d = dims - 1; d >= 0; d--) {
        sum += rest % shape[d] * strides[d];
        rest /= shape[d];
    }
    return sum;
}

extern "C" __global__ void where(const unsigned char* cond, const float* x, const float* y,
                                 float* out, const int* shape, const int* cond_strides,
                                 const int* x_strides, const int* y_strides, int dims, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n) return;
    const int cond_place = place(shape, cond_strides, dims, i);
    const int x_place = place(shape, x_strides, dims, i);
    const int y_place = place(shape, y_strides, dims, i);
    out[i] = cond[cond_place] ? x[x_place] : y[y_place];
}
