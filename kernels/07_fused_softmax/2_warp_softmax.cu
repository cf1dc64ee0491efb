// Row softmax, one warp per row: the row is read once, stays in registers, and is written once.
//
//   x, y   float[rows][columns], x only read, y written; warp w of the grid owns row w, if there
//          is one; columns: a multiple of 4, up to 1,024
//   block  whole warps: a multiple of 32 threads; x and y begin at multiples of 16 bytes
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {  // N values that are loaded and stored as one
    T element[N];
};

constexpr int PACKS = 8;  // packs that a lane can keep: 32 lanes hold 1,024 columns

extern "C" __global__ void warp_softmax(const float* x, float* y, int rows, int columns) {
    const int lane = threadIdx.x % 32;
    // BEGIN SOLUTION
    const size_t row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) return;  // the same for the whole warp: no lane is missed by the shuffles
    const auto* from = reinterpret_cast<const Pack<float, 4>*>(x + row * columns);
    auto* to = reinterpret_cast<Pack<float, 4>*>(y + row * columns);
    const int packs = columns / 4;

    Pack<float, 4> kept[PACKS];  // registers, as long as every index is known when compiling
    float largest = -INFINITY;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const int p = k * 32 + lane;
        if (p < packs) {
            kept[k] = from[p];
            for (float value : kept[k].element) largest = fmaxf(largest, value);
        }
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, offset));
    }

    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        if (k * 32 + lane < packs) {
            for (float& value : kept[k].element) sum += (value = __expf(value - largest));
        }
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    }

    const float share = 1.0f / sum;  // one division per row
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const int p = k * 32 + lane;
        if (p < packs) {
            for (float& value : kept[k].element) value *= share;
            to[p] = kept[k];
        }
    }
    // END SOLUTION
}
