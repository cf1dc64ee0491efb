// Copies that differ only in which addresses the threads of a warp ask for.
//   x, y   float[n] (copy_wide: n / 4 packs of four); thread i of the grid owns element i
extern "C" __global__ void copy_strided(const float* x, float* y, int stride, int n) {
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    if (i < n) y[i] = x[i];
}

extern "C" __global__ void copy_shifted(const float* x, float* y, int shift, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x + shift;
    if (i < n) y[i] = x[i];
}

extern "C" __global__ void copy_wide(const float4* x, float4* y, int packs) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < packs) y[i] = x[i];
}

extern "C" __global__ void copy_bytes(const char* x, char* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}

// Every thread reads the same element.
extern "C" __global__ void spread_one(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[blockIdx.x];
}

// Thread i reads wherever the index points.
extern "C" __global__ void gather(const float* x, const int* index, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[index[i]];
}
