// where in one dimension: out[i] = cond[i] ? x[i] : y[i].
//
//   cond  unsigned char[n], only read; 0 is false, anything else is true
//   x     float[n], only read
//   y     float[n] with y_stride 1, or float[1] with y_stride 0: one number for all
//   out   float[n], written; thread t of block b owns out[b * blockDim.x + t], if there is one
extern "C" __global__ void where_1d(const unsigned char* cond, const float* x, const float* y,
                                    float* out, int y_stride, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    out[i] = cond[i] ? x[i] : y[i * y_stride];
}
