// where(cond, x, y) for four dimensions. Works out by itself which dimensions are expanded.
//
//   cond   unsigned char[], only read;  x, y   float[], only read; all three without gaps
//   cond_shape, x_shape, y_shape   int[4]; a 1 means that this dimension is to be expanded
//   out    float[n], written; thread t of block b owns out[b * blockDim.x + t], if it exists
//   shape  int[4], the shape of out
__device__ int place_in(const int* own_shape, const int* shape, int rest) {
    int place = 0;
    int stride = 1;
    for (int d = 3; d >= 0; d--) {
        const int coordinate = rest % shape[d];
        if (own_shape[d] != 1) place += coordinate * stride;
        stride *= own_shape[d];
        rest /= shape[d];
    }
    return place;
}

extern "C" __global__ void find_the_bug(const unsigned char* cond, const float* x, const float* y,
                                        float* out, const int* cond_shape, const int* x_shape,
                                        const int* y_shape, const int* shape, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    const unsigned char chosen = cond[place_in(cond_shape, shape, i)];
    const float if_true = x[place_in(x_shape, shape, i)];
    const float if_false = y[place_in(y_shape, shape, i)];
    out[i] = chosen ? if_true : if_false;
}
