// Attention weights: each row's softmax(scale * x) over the keys that its query may see.
//
//   x, y   float[rows][keys], x only read, y written; rows = heads * queries, and row r belongs to
//          query r % queries; warp w of the grid owns row w, if there is one; keys: a multiple of
//          4, up to 1,024
//   block  whole warps: a multiple of 32 threads; x and y begin at multiples of 16 bytes
//
// The last query sees all keys. The query before it sees all keys except the last, and so on. With
// more queries than keys, the first queries see no key. A key that is not seen gets 0, whatever x
// holds there. In a row that sees no key, or only scores of -INFINITY, every key gets 0.
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {  // N values that are loaded and stored as one
    T element[N];
};

constexpr int PACKS = 8;  // packs that a lane can keep: 32 lanes hold 1,024 keys

extern "C" __global__ void masked_softmax(const float* x, float* y, float scale, int rows,
                                          int queries, int keys) {
    const int lane = threadIdx.x % 32;
    const size_t row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) return;  // the same for the whole warp: no lane is missed by the shuffles
    const auto* from = reinterpret_cast<const Pack<float, 4>*>(x + row * keys);
    auto* to = reinterpret_cast<Pack<float, 4>*>(y + row * keys);
    // Your turn: how many keys does this row see? Then as in warp_softmax; a row may see no key.
    // BEGIN SOLUTION
    const int query = static_cast<int>(row) % queries;
    const int seen = query + 1 + keys - queries;  // keys 0 to seen - 1; 0 or less for none

    Pack<float, 4> kept[PACKS];
    float largest = -INFINITY;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const int first = 4 * (k * 32 + lane);
        if (first < seen) kept[k] = from[first / 4];
        for (int i = 0; i < 4; i++) {  // chosen, not added: what is masked may be NaN
            float& value = kept[k].element[i];
            value = first + i < seen ? scale * value : -INFINITY;
            largest = fmaxf(largest, value);
        }
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, offset));
    }
    const float origin = largest == -INFINITY ? 0.0f : largest;  // of a row that sees nothing

    float sum = 0.0f;
    for (auto& pack : kept) {
        for (float& value : pack.element) sum += (value = __expf(value - origin));
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    }

    const float share = sum == 0.0f ? 0.0f : 1.0f / sum;  // 0 for such a row, and not 0 / 0
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const int p = k * 32 + lane;
        if (p < keys / 4) {
            for (float& value : kept[k].element) value *= share;
            to[p] = kept[k];
        }
    }
    // END SOLUTION
}
