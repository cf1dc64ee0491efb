// Expand in any number of dimensions, or a window of the result: out = expanded.ravel()[first:][:count].
//
//   x        float[], only read; strides[d] is the distance in x, in elements, between two
//            neighbours along dimension d. It is 0 if dimension d is expanded
//   out      float[count], written; thread t of block b owns out[b * blockDim.x + t], if it exists
//   shape    int[dims], the shape of the expanded array, whose last dimension has stride 1
//   strides  int[dims], those of x in elements
//   dims     0 to 8
//   first    the flat index of out[0] in the expanded array; may exceed the largest int
extern "C" __global__ void expand(const float* x, float* out, const int* shape, const int* strides,
                                  int dims, unsigned first, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    // Your turn: from the flat index to the coordinates, and from these to the place in x.
    // BEGIN SOLUTION
    if (i >= count) return;
    unsigned rest = first + i;  // what is left of the flat index
    int place = 0;              // in x, in elements
    for (int d = dims - 1; d >= 0; d--) {
        const int coordinate = rest % shape[d];
        place += coordinate * strides[d];
        rest /= shape[d];
    }
    out[i] = x[place];
    // END SOLUTION
}
