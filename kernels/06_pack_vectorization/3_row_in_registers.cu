// Divide each row by its largest |x|. Step 3: the row is read once and stays in registers.
//
//   x     float[rows, columns], only read; block b owns row b; columns: a multiple of 4, up to 1,024
//   y     float[rows, columns], written: x / largest |x| of the row; NaN ignored, zeros stay 0
//   grid  as many blocks as rows;  block  128 threads
#include <cub/cub.cuh>

struct Larger {
    __device__ float operator()(float a, float b) const {
        return fmaxf(a, b);
    }
};

template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {  // N values that are loaded and stored as one
    T element[N];
};

constexpr int PACKS = 2;  // packs that a thread can keep: 128 threads hold 1,024 columns

extern "C" __global__ void row_in_registers(const float* x, float* y, int columns) {
    using BlockReduce = cub::BlockReduce<float, 128>;
    __shared__ BlockReduce::TempStorage storage;
    __shared__ float scale;
    const size_t row = blockIdx.x;
    const auto* from = reinterpret_cast<const Pack<float, 4>*>(x + row * columns);
    auto* to = reinterpret_cast<Pack<float, 4>*>(y + row * columns);

    Pack<float, 4> kept[PACKS];  // registers, as long as every index is known at compile time
    float largest = 0.0f;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const int p = k * blockDim.x + threadIdx.x;
        if (p < columns / 4) {
            kept[k] = from[p];
            for (int i = 0; i < 4; i++) largest = fmaxf(largest, fabsf(kept[k].element[i]));
        }
    }

    largest = BlockReduce(storage).Reduce(largest, Larger());
    if (threadIdx.x == 0) {  // only thread 0 has CUB's result
        scale = largest > 0.0f ? largest : 1.0f;
    }
    __syncthreads();  // now all threads may read the scale that thread 0 wrote

#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const int p = k * blockDim.x + threadIdx.x;
        if (p < columns / 4) {
            for (int i = 0; i < 4; i++) kept[k].element[i] /= scale;
            to[p] = kept[k];
        }
    }
}
