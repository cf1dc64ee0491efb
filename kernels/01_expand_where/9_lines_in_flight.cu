// where(cond, x, y) of (A, 1, C, D), (1, B, C, 1) and (A, B, 1, D), LINES lines per warp.
//
//   cond  unsigned char[A, C, D], only read;  x  float[B, C], only read;  y  float[A, B, D], only read
//   out   float[A, B, C, D], written, 16 bytes at a time: D is a multiple of 4
//   grid  (C / (blockDim.y * LINES) rounded up, B, A): a is blockIdx.z, b is blockIdx.y
//   block (32, 2): a warp fills the D floats of LINES neighbouring c, four per thread at once; its
//         part of y is the same for all of them
template <int LINES>
__device__ void where_lines(const unsigned char* cond, const float* x, const float* y, float* out,
                            int C, int D) {
    const size_t a = blockIdx.z, b = blockIdx.y, B = gridDim.y, packs = D / 4;
    const int c = (blockIdx.x * blockDim.y + threadIdx.y) * LINES;
    const auto* mask = reinterpret_cast<const uchar4*>(cond) + (a * C + c) * packs;
    const auto* if_false = reinterpret_cast<const float4*>(y) + (a * B + b) * packs;
    auto* line = reinterpret_cast<float4*>(out) + ((a * B + b) * C + c) * packs;

    float if_true[LINES];
#pragma unroll
    for (int k = 0; k < LINES; k++) if_true[k] = c + k < C ? x[b * C + c + k] : 0.0f;
    for (size_t p = threadIdx.x; p < packs; p += 32) {
        const float4 otherwise = if_false[p];
        uchar4 chosen[LINES];
#pragma unroll
        for (int k = 0; k < LINES; k++) {
            chosen[k] = c + k < C ? mask[k * packs + p] : uchar4{};
        }
#pragma unroll
        for (int k = 0; k < LINES; k++) {
            float4 four = otherwise;
            if (chosen[k].x) four.x = if_true[k];
            if (chosen[k].y) four.y = if_true[k];
            if (chosen[k].z) four.z = if_true[k];
            if (chosen[k].w) four.w = if_true[k];
            if (c + k < C) line[k * packs + p] = four;
        }
    }
}

extern "C" __global__ void __launch_bounds__(64)
    where_lines_4(const unsigned char* cond, const float* x, const float* y, float* out, int C,
                  int D) {
    where_lines<4>(cond, x, y, out, C, D);
}
