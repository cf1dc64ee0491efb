// expand must get over_budget: a thread writes four neighbours one by one, so a warp's stores have gaps
extern "C" __global__ void expand(const float* x, float* out, const int* shape, const int* strides,
                                  int dims, unsigned first, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int k = 4 * i; k < 4 * i + 4 && k < count; k++) {
        unsigned rest = first + k;
        int place = 0;
        for (int d = dims - 1; d >= 0; d--) {
            const int coordinate = rest % shape[d];
            place += coordinate * strides[d];
            rest /= shape[d];
        }
        out[k] = x[place];
    }
}
