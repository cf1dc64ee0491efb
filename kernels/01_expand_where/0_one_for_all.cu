// Every element times one number, which is the same for all.
//
//   x       float[n], only read
//   factor  float[1], only read
//   out     float[n], written; out[i] = x[i] * factor[0]
extern "C" __global__ void one_for_all(const float* x, const float* factor, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // BEGIN SOLUTION
    out[i] = x[i] * factor[0];
    // END SOLUTION
}
