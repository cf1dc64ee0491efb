// Row softmax, one block per row, in packs: two passes over the row, nothing kept in between.
//
//   x, y   float[rows][columns], x only read, y written; block r owns row r
//   block  whole warps: a multiple of 32 threads, at most 1024
//
// block_online takes rows of whole packs, columns a multiple of 4. block_online_any takes any row,
// in packs of one element (N = 1). Neither has a limit on columns.
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {  // N values that are loaded and stored as one
    T element[N];
};

struct __align__(8) Pair {
    float max, sum;  // the largest x so far, and the sum of exp(x - max)
};

__device__ Pair merge(Pair a, Pair b) {
    const float max = fmaxf(a.max, b.max);
    const float from = max == -INFINITY ? 0.0f : max;  // both empty: -INFINITY - 0, and no NaN
    return {max, a.sum * __expf(a.max - from) + b.sum * __expf(b.max - from)};
}

__device__ Pair butterfly(Pair mine) {
    for (int offset = 16; offset > 0; offset /= 2) {
        mine = merge(mine, {__shfl_xor_sync(0xffffffff, mine.max, offset),
                            __shfl_xor_sync(0xffffffff, mine.sum, offset)});
    }
    return mine;
}

constexpr int BATCH = 4;  // packs that a thread loads together

template <int N>
__device__ void online(const float* x, float* y, int columns) {
    __shared__ Pair of_warp[32];
    const int lane = threadIdx.x % 32, step = blockDim.x, packs = columns / N;
    const size_t start = static_cast<size_t>(blockIdx.x) * columns;
    const auto* from = reinterpret_cast<const Pack<float, N>*>(x + start);
    auto* to = reinterpret_cast<Pack<float, N>*>(y + start);
    Pack<float, N> batch[BATCH];

    Pair mine = {-INFINITY, 0.0f};
    for (int first = threadIdx.x; first < packs; first += BATCH * step) {
        float largest = mine.max;
        for (int k = 0; k < BATCH; k++) {
            for (float& value : batch[k].element) value = -INFINITY;  // changes neither max nor sum
            if (first + k * step < packs) batch[k] = from[first + k * step];
            for (float value : batch[k].element) largest = fmaxf(largest, value);
        }
        const float origin = largest == -INFINITY ? 0.0f : largest;
        mine = {largest, mine.sum * __expf(mine.max - origin)};  // rescaled once for all of them
        for (auto& pack : batch) {
            for (float value : pack.element) mine.sum += __expf(value - origin);
        }
    }

    mine = butterfly(mine);
    if (lane == 0) of_warp[threadIdx.x / 32] = mine;
    __syncthreads();  // every warp reads what all of them have written
    const Pair all = butterfly(lane < blockDim.x / 32 ? of_warp[lane] : Pair{-INFINITY, 0.0f});
    const float share = 1.0f / all.sum;  // one division per row

    for (int first = threadIdx.x; first < packs; first += BATCH * step) {
        for (int k = 0; k < BATCH; k++) {
            if (first + k * step < packs) batch[k] = from[first + k * step];
        }
        for (int k = 0; k < BATCH; k++) {
            for (float& value : batch[k].element) value = __expf(value - all.max) * share;
            if (first + k * step < packs) to[first + k * step] = batch[k];
        }
    }
}

extern "C" __global__ void block_online(const float* x, float* y, int columns) {
    online<4>(x, y, columns);
}
extern "C" __global__ void block_online_any(const float* x, float* y, int columns) {
    online<1>(x, y, columns);
}
