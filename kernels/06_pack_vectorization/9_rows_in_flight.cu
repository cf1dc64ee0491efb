// Divide each row by its largest |x|: LANES lanes per row, ROWS rows in flight at a time.
//
//   x     float[rows, columns], only read, at any address of a float
//   y     float[rows, columns], written: x / largest |x| of the row; NaN ignored, zeros stay 0;
//         x and y have the same address modulo 16. columns: any number up to 4 * LANES * PACKS
//   block whole warps: a multiple of 32 threads. LANES neighbouring threads are a group. A block
//         has G = blockDim.x / LANES groups and owns G * ROWS neighbouring rows; its group g owns
//         rows g, g + G, g + 2 * G ... of these.
//
// A row may begin anywhere. Its packs begin on 16-byte boundaries. Up to 3 elements before the
// first pack and 3 after the last are single: each of the first lanes takes one of them.
struct alignas(16) Pack {
    float element[4];
};

template <int LANES, int PACKS, int ROWS>
__device__ void scale_rows(const float* x, float* y, int rows, int columns) {
    static_assert(LANES >= 8);  // for the 6 elements outside of packs
    const int lane = threadIdx.x % LANES, groups = blockDim.x / LANES;
    const size_t first = static_cast<size_t>(blockIdx.x) * groups * ROWS + threadIdx.x / LANES;
    Pack kept[ROWS][PACKS];
    float single[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const size_t row = first + r * groups;
        const float* from = x + row * columns;
        const int head = min(static_cast<int>(-(reinterpret_cast<size_t>(from) / 4) % 4), columns);
        const int packs = row < rows ? (columns - head) / 4 : 0;
        const int singles = row < rows ? columns - 4 * packs : 0;
        single[r] = lane < singles ? from[lane < head ? lane : 4 * packs + lane] : 0.0f;
#pragma unroll
        for (int k = 0; k < PACKS; k++) {
            const int p = k * LANES + lane;
            kept[r][k] = p < packs ? reinterpret_cast<const Pack*>(from + head)[p] : Pack{};
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        float largest = fmaxf(0.0f, fabsf(single[r]));
        for (auto& pack : kept[r]) {
            for (float value : pack.element) largest = fmaxf(largest, fabsf(value));
        }
        for (int apart = LANES / 2; apart > 0; apart /= 2) {  // stays within the row's lanes
            largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, apart));
        }
        const float scale = largest > 0.0f ? largest : 1.0f;

        const size_t row = first + r * groups;
        float* to = y + row * columns;
        const int head = min(static_cast<int>(-(reinterpret_cast<size_t>(to) / 4) % 4), columns);
        const int packs = row < rows ? (columns - head) / 4 : 0;
        const int singles = row < rows ? columns - 4 * packs : 0;
        if (lane < singles) to[lane < head ? lane : 4 * packs + lane] = single[r] / scale;
#pragma unroll
        for (int k = 0; k < PACKS; k++) {
            const int p = k * LANES + lane;
            for (float& value : kept[r][k].element) value /= scale;
            if (p < packs) {
                reinterpret_cast<Pack*>(to + head)[p] = kept[r][k];
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(128)
    scale_128(const float* x, float* y, int rows, int columns) {
    scale_rows<32, 1, 2>(x, y, rows, columns);
}
extern "C" __global__ void __launch_bounds__(128)
    scale_1024(const float* x, float* y, int rows, int columns) {
    scale_rows<32, 8, 1>(x, y, rows, columns);
}
