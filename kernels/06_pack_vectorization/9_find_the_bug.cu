// Divide each row by its largest |x|: one warp per row, in registers. One line is wrong.
//
//   x     float[rows, columns], only read; warp w of the grid owns row w, if there is one; columns:
//         a multiple of 4, up to 256
//   y     float[rows, columns], written: x / largest |x| of the row; NaN ignored, zeros stay 0
//   block a multiple of 32 threads: one row per warp

template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {  // N values that are loaded and stored as one
    T element[N];
};

constexpr int PACKS = 2;  // packs that a lane can keep: 32 lanes hold 256 columns

extern "C" __global__ void find_the_bug(const float* x, float* y, int rows, int columns) {
    const int lane = threadIdx.x % 32;
    const size_t row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) return;  // the same for the whole warp: no lane is missed by the shuffles
    const auto* from = reinterpret_cast<const Pack<float, 4>*>(x + row * columns);
    auto* to = reinterpret_cast<Pack<float, 4>*>(y + row * columns);

    float kept[4 * PACKS];  // element i of pack k is kept[4 * k + i]
    float largest = 0.0f;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const int p = k * 32 + lane;
        if (p < columns / 4) {
            const Pack<float, 4> pack = from[p];
            for (int i = 0; i < 4; i++) {
                kept[4 * k] = pack.element[i];
                largest = fmaxf(largest, fabsf(kept[4 * k]));
            }
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
            Pack<float, 4> pack;
            for (int i = 0; i < 4; i++) pack.element[i] = kept[4 * k + i] / scale;
            to[p] = pack;
        }
    }
}
