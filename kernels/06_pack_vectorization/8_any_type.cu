// Divide each row by its largest |x|, for halves, floats and doubles: one template.
//
//   x     T[rows, columns], only read; warp w of the grid owns row w, if there is one; columns is a
//         multiple of the pack's length, and a row has at most 4,096 bytes
//   y     T[rows, columns], written: x / largest |x| of the row; NaN ignored, zeros stay 0
//   block a multiple of 32 threads: one row per warp; x and y begin at multiples of 16 bytes
#include <cuda_fp16.h>

template <typename T>
struct Arithmetic {  // the type for arithmetic: T itself,
    using type = T;
};
template <>
struct Arithmetic<__half> {  // but float for halves
    using type = float;
};

constexpr int PACKS = 8;  // packs that a lane can keep, of 16 bytes each
// Your turn: a Pack of N values of type T, and below the body of scale_rows.
// BEGIN SOLUTION
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {  // N values that are loaded and stored as one
    T element[N];
};
// END SOLUTION

template <typename T>
__device__ void scale_rows(const T* x, T* y, int rows, int columns) {
    // BEGIN SOLUTION
    using Real = typename Arithmetic<T>::type;
    constexpr int N = 16 / sizeof(T);
    const int lane = threadIdx.x % 32;
    const size_t row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) return;  // the same for the whole warp: no lane is missed by the shuffles
    const auto* from = reinterpret_cast<const Pack<T, N>*>(x + row * columns);
    auto* to = reinterpret_cast<Pack<T, N>*>(y + row * columns);

    Pack<T, N> kept[PACKS];
    Real largest = 0;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const int p = k * 32 + lane;
        if (p < columns / N) {
            kept[k] = from[p];
            for (int i = 0; i < N; i++) {
                largest = fmax(largest, fabs(static_cast<Real>(kept[k].element[i])));
            }
        }
    }

    for (int distance = 16; distance > 0; distance /= 2) {
        largest = fmax(largest, __shfl_xor_sync(0xffffffff, largest, distance));
    }
    const Real scale = largest > 0 ? largest : 1;

#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const int p = k * 32 + lane;
        if (p < columns / N) {
            for (int i = 0; i < N; i++) {
                kept[k].element[i] = static_cast<T>(static_cast<Real>(kept[k].element[i]) / scale);
            }
            to[p] = kept[k];
        }
    }
    // END SOLUTION
}

extern "C" __global__ void scale_halves(const __half* x, __half* y, int rows, int columns) {
    scale_rows(x, y, rows, columns);
}

extern "C" __global__ void scale_floats(const float* x, float* y, int rows, int columns) {
    scale_rows(x, y, rows, columns);
}

extern "C" __global__ void scale_doubles(const double* x, double* y, int rows, int columns) {
    scale_rows(x, y, rows, columns);
}
