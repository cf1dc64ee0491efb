// A maximum of each warp's 32 elements. Not every lane reaches the shuffles.
//
//   x        float[n], only read; thread i of the whole grid owns x[i], if there is one
//   largest  float[n / 32, rounded up], written; largest[w] is the largest of warp w's elements
//   block    whole warps: a multiple of 32 threads
extern "C" __global__ void in_the_branch(const float* x, float* largest, int n) {
    const unsigned full_mask = 0xffffffff;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float m = x[i];
        for (int offset = 16; offset > 0; offset /= 2) {
            m = fmaxf(m, __shfl_xor_sync(full_mask, m, offset));
        }
        if (threadIdx.x % 32 == 0) largest[i / 32] = m;
    }
}
