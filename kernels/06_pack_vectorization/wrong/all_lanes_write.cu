// row_absmax must get over_budget: 32 lanes store the same magnitude where one is enough
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
    T element[N];
};

extern "C" __global__ void row_absmax(const float* x, float* magnitude, int rows, int columns) {
    const int lane = threadIdx.x % 32;
    const size_t row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) return;
    const float* from = x + row * columns;

    float largest = 0.0f;
    if (columns % 4 == 0) {
        const auto* packs = reinterpret_cast<const Pack<float, 4>*>(from);
        for (int p = lane; p < columns / 4; p += 32) {
            const Pack<float, 4> pack = packs[p];
            for (int i = 0; i < 4; i++) largest = fmaxf(largest, fabsf(pack.element[i]));
        }
    } else {
        for (int c = lane; c < columns; c += 32) largest = fmaxf(largest, fabsf(from[c]));
    }

    for (int distance = 16; distance > 0; distance /= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, distance));
    }
    magnitude[row] = largest;
}
