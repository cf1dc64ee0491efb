// Expand (A, 1, C, 1) to (A, B, C, D). The grid knows the coordinates, so nothing is divided.
//
//   x     float[A, C], only read
//   out   float[A, B, C, D], written, 16 bytes at a time: D is a multiple of 4
//   grid  (C / blockDim.y rounded up, B, A): blockIdx.z is a, and blockIdx.y is b
//   block (32, 8): a warp fills the D floats of one (a, b, c), four per thread at a time
extern "C" __global__ void expand_grid(const float* x, float* out, int C, int D) {
    const int a = blockIdx.z;
    const int b = blockIdx.y;
    const int c = blockIdx.x * blockDim.y + threadIdx.y;
    if (c >= C) return;

    const float value = x[a * C + c];  // x does not depend on b and d
    const float4 four = make_float4(value, value, value, value);

    const int packs = D / 4;
    float4* line = (float4*)out + ((a * gridDim.y + b) * C + c) * packs;
    for (int p = threadIdx.x; p < packs; p += blockDim.x) line[p] = four;
}
