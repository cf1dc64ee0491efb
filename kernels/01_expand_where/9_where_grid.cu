// where(cond, x, y) of (A, 1, C, D), (1, B, C, 1) and (A, B, 1, D). The grid knows the coordinates.
//
//   cond  unsigned char[A, C, D], only read;  x  float[B, C], only read;  y  float[A, B, D], only read
//   out   float[A, B, C, D], written, 16 bytes at a time: D is a multiple of 4
//   grid  (C / blockDim.y rounded up, B, A): blockIdx.z is a, and blockIdx.y is b
//   block (32, 8): a warp fills the D floats of one (a, b, c), four per thread at a time
extern "C" __global__ void where_grid(const unsigned char* cond, const float* x, const float* y,
                                      float* out, int C, int D) {
    const int a = blockIdx.z;
    const int b = blockIdx.y;
    const int c = blockIdx.x * blockDim.y + threadIdx.y;
    if (c >= C) return;

    const int packs = D / 4;
    const int B = gridDim.y;
    const uchar4* mask = (const uchar4*)cond + (a * C + c) * packs;   // no b: cond is expanded
    const float if_true = x[b * C + c];                               // x depends on b and c only
    const float4* if_false = (const float4*)y + (a * B + b) * packs;  // y does not depend on c
    float4* line = (float4*)out + ((a * B + b) * C + c) * packs;

    for (int p = threadIdx.x; p < packs; p += blockDim.x) {
        const uchar4 chosen = mask[p];
        float4 four = if_false[p];
        if (chosen.x) four.x = if_true;
        if (chosen.y) four.y = if_true;
        if (chosen.z) four.z = if_true;
        if (chosen.w) four.w = if_true;
        line[p] = four;
    }
}
