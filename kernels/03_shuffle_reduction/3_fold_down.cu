// The fold by shuffles, and what it leaves in every lane: one warp, a sum and a maximum.
//
//   x        float[32], only read; lane t owns x[t]
//   sum      float[32], written; lane t's register after the fold with +
//   largest  float[32], written; lane t's register after the fold with max
//   block    one warp
extern "C" __global__ void fold_down(const float* x, float* sum, float* largest) {
    const unsigned full_mask = 0xffffffff;
    const int lane = threadIdx.x;
    float s = x[lane];
    float m = x[lane];

    for (int offset = 16; offset > 0; offset /= 2) {
        s += __shfl_down_sync(full_mask, s, offset);
        m = fmaxf(m, __shfl_down_sync(full_mask, m, offset));
    }

    sum[lane] = s;
    largest[lane] = m;
}
