// expand must get out_of_bounds on line 16: strides as if x had the shape of out: nothing is expanded
extern "C" __global__ void expand(const float* x, float* out, const int* shape, const int* strides,
                                  int dims, unsigned first, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count) return;
    unsigned rest = first + i;
    int place = 0;
    int stride = 1;
    for (int d = dims - 1; d >= 0; d--) {
        const int coordinate = rest % shape[d];
        place += coordinate * stride;
        stride *= shape[d];
        rest /= shape[d];
    }
    out[i] = x[place];
}
