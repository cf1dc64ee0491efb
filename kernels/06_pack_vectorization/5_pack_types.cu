// Copying in packs of 16 bytes, for three types: one template, three kernels.
//
//   x      T[4 * count], T[2 * count] or T[8 * count], only read; thread p of the grid owns pack p
//   y      as x, written
//   count  how many packs there are
#include <cuda_fp16.h>

template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {  // N values that are loaded and stored as one
    T element[N];
};

template <typename T, int N>
__device__ void copy(const T* x, T* y, int count) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < count) {
        const Pack<T, N> pack = reinterpret_cast<const Pack<T, N>*>(x)[p];
        reinterpret_cast<Pack<T, N>*>(y)[p] = pack;
    }
}

extern "C" __global__ void copy_floats(const float* x, float* y, int count) {
    copy<float, 4>(x, y, count);
}

extern "C" __global__ void copy_doubles(const double* x, double* y, int count) {
    copy<double, 2>(x, y, count);
}

extern "C" __global__ void copy_halves(const __half* x, __half* y, int count) {
    copy<__half, 8>(x, y, count);
}
