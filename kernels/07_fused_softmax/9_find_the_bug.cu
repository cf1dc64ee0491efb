// Attention weights: scale, mask and softmax in one kernel, one warp per row. One number is wrong.
//
//   x, y   float[rows][keys], x only read, y written; rows = heads * queries, and row r belongs to
//          query r % queries, which sees keys 0 to query + keys - queries; warp w of the grid owns
//          row w, if there is one; keys: a multiple of 4, up to 1,024
//   block  whole warps: a multiple of 32 threads
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {  // N values that are loaded and stored as one
    T element[N];
};

constexpr int PACKS = 8;  // packs that a lane can keep: 32 lanes hold 1,024 keys

extern "C" __global__ void find_the_bug(const float* x, float* y, float scale, int rows,
                                        int queries, int keys) {
    const int lane = threadIdx.x % 32;
    const size_t row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) return;  // the same for the whole warp: no lane is missed by the shuffles
    const auto* from = reinterpret_cast<const Pack<float, 4>*>(x + row * keys);
    auto* to = reinterpret_cast<Pack<float, 4>*>(y + row * keys);
    const int seen = static_cast<int>(row) % queries + 1 + keys - queries;

    Pack<float, 4> kept[PACKS];
    float largest = -INFINITY;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const int p = k * 32 + lane;
        for (float& value : kept[k].element) value = -INFINITY;  // past the end of the row
        if (p < keys / 4) {
            kept[k] = from[p];
            for (int i = 0; i < 4; i++) {
                float& value = kept[k].element[i];
                value = 4 * p + i < seen ? scale * value : -10000.0f;
                largest = fmaxf(largest, value);
            }
        }
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, offset));
    }

    float sum = 0.0f;
    for (auto& pack : kept) {
        for (float& value : pack.element) sum += (value = __expf(value - largest));
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    }

    const float share = 1.0f / sum;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const int p = k * 32 + lane;
        if (p < keys / 4) {
            for (float& value : kept[k].element) value *= share;
            to[p] = kept[k];
        }
    }
}
