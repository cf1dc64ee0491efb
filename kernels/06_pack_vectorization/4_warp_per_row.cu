// Divide each row by its largest |x|. Step 4: one warp per row, without barriers.
//
//   x     float[rows, columns], only read; warp w of the grid owns row w, if there is one; columns:
//         a multiple of 4, up to 1,024
//   y     float[rows, columns], written: x / largest |x| of the row; NaN ignored, zeros stay 0
//   block a multiple of 32 threads: one row per warp; x and y begin at multiples of 16 bytes

template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {  // N values that are loaded and stored as one
    T element[N];
};

constexpr int PACKS = 8;  // packs that a lane can keep: 32 lanes hold 1,024 columns

extern "C" __global__ void warp_per_row(const float* x, float* y, int rows, int columns) {
    const int lane = threadIdx.x % 32;
    // BEGIN SOLUTION
    const size_t row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) return;  // the same for the whole warp: no lane is missed by the shuffles
    const auto* from = reinterpret_cast<const Pack<float, 4>*>(x + row * columns);
    auto* to = reinterpret_cast<Pack<float, 4>*>(y + row * columns);

    Pack<float, 4> kept[PACKS];  // registers, as long as every index is known at compile time
    float largest = 0.0f;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const int p = k * 32 + lane;
        if (p < columns / 4) {
            kept[k] = from[p];
            for (int i = 0; i < 4; i++) largest = fmaxf(largest, fabsf(kept[k].element[i]));
        }
    }

    for (int distance = 16; distance > 0; distance /= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, distance));
    }
    const float scale = largest > 0.0f ? largest : 1.0f;  // every lane has it, no barrier needed

#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const int p = k * 32 + lane;
        if (p < columns / 4) {
            for (int i = 0; i < 4; i++) kept[k].element[i] /= scale;
            to[p] = kept[k];
        }
    }
    // END SOLUTION
}
