// The butterfly: the same five steps, and every lane has the sum.
//
//   x      float[32], only read; lane t owns x[t]
//   sum    float[32], written; lane t's register after the fold
//   block  one warp
extern "C" __global__ void butterfly(const float* x, float* sum) {
    const unsigned full_mask = 0xffffffff;
    const int lane = threadIdx.x;
    float s = x[lane];

    for (int offset = 16; offset > 0; offset /= 2) {
        s += __shfl_xor_sync(full_mask, s, offset);  // two lanes swap, and both add
    }

    sum[lane] = s;
}
