// exp(x) twice: expf, and the intrinsic __expf, which rounds x * log2(e) and takes a power of two.
//
//   x        float[n], only read; thread i of the whole grid owns x[i], if there is one
//   precise  float[n], written; expf(x[i])
//   fast     float[n], written; __expf(x[i])
extern "C" __global__ void two_exponentials(const float* x, float* precise, float* fast, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        precise[i] = expf(x[i]);
        fast[i] = __expf(x[i]);
    }
}
