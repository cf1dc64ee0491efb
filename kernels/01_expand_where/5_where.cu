// where(cond, x, y) in any number of dimensions, all three broadcast to the shape of out.
//
//   cond   unsigned char[], only read; 0 is false, anything else is true
//   x, y   float[], only read
//   out    float[n], written; thread t of block b owns out[b * blockDim.x + t], if it exists
//   shape  int[dims], the shape of out, whose last dimension has stride 1; dims is 0 to 8
//   cond_strides, x_strides, y_strides
//          int[dims]; the strides of cond, x and y, in elements,
//          0 where the dimension is expanded
extern "C" __global__ void where(const unsigned char* cond, const float* x, const float* y,
                                 float* out, const int* shape, const int* cond_strides,
                                 const int* x_strides, const int* y_strides, int dims, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    // Your turn.
    // BEGIN SOLUTION
    if (i >= n) return;
    int rest = i;  // what is left of the flat index
    int cond_place = 0, x_place = 0, y_place = 0;
    for (int d = dims - 1; d >= 0; d--) {
        const int coordinate = rest % shape[d];  // one for all three
        cond_place += coordinate * cond_strides[d];
        x_place += coordinate * x_strides[d];
        y_place += coordinate * y_strides[d];
        rest /= shape[d];
    }
    out[i] = cond[cond_place] ? x[x_place] : y[y_place];
    // END SOLUTION
}
