// Softmax along an axis that is not the last: tiles of the whole axis by LANES packs, in registers.
//
//   x, y   float[outer][length][inner], x only read, y written, on 16-byte boundaries; inner: a
//          multiple of 4; length: up to THREADS / LANES * PACKS
//   grid   outer * (packs of inner / LANES, rounded up) blocks
//   block  THREADS threads; LANES neighbouring threads own the tile's packs of one index of the
//          axis, and the next LANES threads own the packs of the next index
//
// A pack is four columns, and each column has a maximum and a sum of its own.
struct alignas(16) Pack {
    float element[4];
};

// Returns exp(x), or 0 for a result below the smallest normal number. It is shorter than __expf.
__device__ float exp_fast(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.442695041f));
    return y;
}

struct Max {
    static __device__ float combine(float a, float b) {
        return fmaxf(a, b);
    }
};

struct Sum {
    static __device__ float combine(float a, float b) {
        return a + b;
    }
};

// Combines the packs of all threads with the same lane of LANES, column by column, in each of them.
template <typename Op, int LANES, int WARPS>
__device__ Pack combine_columns(Pack mine) {
    __shared__ Pack of_warp[WARPS][LANES];
    const int lane = threadIdx.x % LANES;
    for (float& value : mine.element) {
        for (int d = 16; d >= LANES; d /= 2) {
            value = Op::combine(value, __shfl_xor_sync(~0u, value, d));
        }
    }
    if (threadIdx.x % 32 < LANES) of_warp[threadIdx.x / 32][lane] = mine;
    __syncthreads();  // every thread reads what all warps have written for its columns
    mine = of_warp[0][lane];
#pragma unroll
    for (int w = 1; w < WARPS; w++) {
        const Pack other = of_warp[w][lane];
        for (int i = 0; i < 4; i++) {
            mine.element[i] = Op::combine(mine.element[i], other.element[i]);
        }
    }
    return mine;
}

template <int THREADS, int LANES, int PACKS>
__device__ void softmax_columns(const float* x, float* y, int length, int inner) {
    constexpr int ALONG = THREADS / LANES;  // places on the axis at a time
    const int packs = inner / 4, tiles = (packs + LANES - 1) / LANES;
    const int pack = blockIdx.x % tiles * LANES + threadIdx.x % LANES;
    const int along = threadIdx.x / LANES, end = pack < packs ? length : 0;
    const size_t hop = static_cast<size_t>(ALONG) * packs;
    const size_t start = (static_cast<size_t>(blockIdx.x / tiles) * length + along) * packs + pack;
    const auto* from = reinterpret_cast<const Pack*>(x) + start;
    auto* to = reinterpret_cast<Pack*>(y) + start;

    Pack kept[PACKS], largest, sum = {};
    for (float& value : largest.element) value = -INFINITY;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        for (float& value : kept[k].element) value = -INFINITY;
        if (k * ALONG + along < end) kept[k] = *from;
        from += hop;
    }
    for (auto& own : kept) {
        for (int i = 0; i < 4; i++) {
            largest.element[i] = fmaxf(largest.element[i], own.element[i]);
        }
    }
    largest = combine_columns<Max, LANES, THREADS / 32>(largest);
    for (auto& own : kept) {
        for (int i = 0; i < 4; i++) {
            sum.element[i] += (own.element[i] = exp_fast(own.element[i] - largest.element[i]));
        }
    }
    sum = combine_columns<Sum, LANES, THREADS / 32>(sum);
    for (float& value : sum.element) value = 1.0f / value;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        for (int i = 0; i < 4; i++) kept[k].element[i] *= sum.element[i];
        if (k * ALONG + along < end) *to = kept[k];
        to += hop;
    }
}

extern "C" __global__ void __launch_bounds__(256, 2)
    axis_1024(const float* x, float* y, int length, int inner) {
    softmax_columns<256, 4, 16>(x, y, length, inner);
}
