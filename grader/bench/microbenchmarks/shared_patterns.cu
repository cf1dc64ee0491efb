// A warp reads shared memory at the cells that it is told, or writes it there.
//   x      T[256], goes into the tile as it is
//   cell   int[blockDim.x], 0 to 255 or -1: this thread takes no part
//   y      T[blockDim.x], the cells read
template <typename T>
__device__ void read_cells(const T* x, const int* cell, T* y) {
    __shared__ T tile[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) tile[i] = x[i];
    __syncthreads();
    const int mine = cell[threadIdx.x];
    if (mine >= 0) y[threadIdx.x] = tile[mine];
}

//   y      T[256], the tile after thread t wrote x[t] into its cell; no two threads have the same
template <typename T>
__device__ void write_cells(const T* x, const int* cell, T* y) {
    __shared__ T tile[256];
    const int mine = cell[threadIdx.x];
    if (mine >= 0) tile[mine] = x[threadIdx.x];
    __syncthreads();
    if (mine >= 0) y[mine] = tile[mine];
}

extern "C" __global__ void read_4_bytes(const float* x, const int* cell, float* y) {
    read_cells(x, cell, y);
}

extern "C" __global__ void read_8_bytes(const double* x, const int* cell, double* y) {
    read_cells(x, cell, y);
}

extern "C" __global__ void read_16_bytes(const float4* x, const int* cell, float4* y) {
    read_cells(x, cell, y);
}

extern "C" __global__ void write_4_bytes(const float* x, const int* cell, float* y) {
    write_cells(x, cell, y);
}

extern "C" __global__ void write_8_bytes(const double* x, const int* cell, double* y) {
    write_cells(x, cell, y);
}

extern "C" __global__ void write_16_bytes(const float4* x, const int* cell, float4* y) {
    write_cells(x, cell, y);
}
