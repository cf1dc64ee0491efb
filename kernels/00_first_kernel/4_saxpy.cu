// a times x plus y, element by element.
//
//   x, y  float[n], only read
//   out   float[n], written; out[i] = a * x[i] + y[i]
//   grid  one dimension, at least as many threads as elements
extern "C" __global__ void saxpy(const float* x, const float* y, float* out, float a, int n) {
    // Your turn: compute the index, check that the element exists, write the result.
    // BEGIN SOLUTION
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a * x[i] + y[i];
    // END SOLUTION
}
