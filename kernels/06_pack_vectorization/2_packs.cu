// Divide each row by its largest |x|. Step 2: the same in packs of 16 bytes.
//
//   x     float[rows, columns], only read; block b owns row b; columns is a multiple of 4
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

extern "C" __global__ void packs(const float* x, float* y, int columns) {
    using BlockReduce = cub::BlockReduce<float, 128>;
    __shared__ BlockReduce::TempStorage storage;
    __shared__ float scale;
    const size_t row = blockIdx.x;
    const auto* from = reinterpret_cast<const Pack<float, 4>*>(x + row * columns);
    auto* to = reinterpret_cast<Pack<float, 4>*>(y + row * columns);

    float largest = 0.0f;
    for (int p = threadIdx.x; p < columns / 4; p += blockDim.x) {
        const Pack<float, 4> pack = from[p];
        for (int i = 0; i < 4; i++) largest = fmaxf(largest, fabsf(pack.element[i]));
    }

    largest = BlockReduce(storage).Reduce(largest, Larger());
    if (threadIdx.x == 0) {  // only thread 0 has CUB's result
        scale = largest > 0.0f ? largest : 1.0f;
    }
    __syncthreads();  // now all threads may read the scale that thread 0 wrote

    for (int p = threadIdx.x; p < columns / 4; p += blockDim.x) {
        Pack<float, 4> pack = from[p];
        for (int i = 0; i < 4; i++) pack.element[i] /= scale;
        to[p] = pack;
    }
}
