// block_softmax must get over_budget: one exchange for the largest and another one for the sum, with twice the barriers
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {  // N values that are loaded and stored as one
    T element[N];
};

struct __align__(8) Pair {
    float max, sum;  // the largest x so far, and the sum of exp(x - max)
};

extern "C" __global__ void block_softmax(const float* x, float* y, int rows, int columns) {
    extern __shared__ Pack<float, 4> kept[];  // the row, then its exponentials
    __shared__ float of_warp[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const int packs = columns / 4;
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {  // as often for every thread
        const size_t start = static_cast<size_t>(row) * columns;
        const auto* from = reinterpret_cast<const Pack<float, 4>*>(x + start);
        auto* to = reinterpret_cast<Pack<float, 4>*>(y + start);
        Pair mine = {-INFINITY, 0.0f};
        for (int p = threadIdx.x; p < packs; p += blockDim.x) {
            const Pack<float, 4> pack = kept[p] = from[p];
            for (float value : pack.element) mine.max = fmaxf(mine.max, value);
        }
        for (int apart = 16; apart > 0; apart /= 2) {
            mine.max = fmaxf(mine.max, __shfl_xor_sync(0xffffffff, mine.max, apart));
        }
        __syncthreads();
        if (lane == 0) of_warp[warp] = mine.max;
        __syncthreads();
        mine.max = lane < warps ? of_warp[lane] : -INFINITY;
        for (int apart = 16; apart > 0; apart /= 2) {
            mine.max = fmaxf(mine.max, __shfl_xor_sync(0xffffffff, mine.max, apart));
        }
        const float origin = mine.max;  // the row's
        for (int p = threadIdx.x; p < packs; p += blockDim.x) {
            Pack<float, 4> pack = kept[p];  // this thread wrote it: no barrier needed
            for (float& value : pack.element) mine.sum += (value = __expf(value - origin));
            kept[p] = pack;
        }
        for (int apart = 16; apart > 0; apart /= 2) {
            mine.sum += __shfl_xor_sync(0xffffffff, mine.sum, apart);
        }

        __syncthreads();  // the row before: every warp has read what of_warp held for it
        if (lane == 0) of_warp[warp] = mine.sum;
        __syncthreads();  // this row: every warp reads what all of them have written
        mine.sum = lane < warps ? of_warp[lane] : 0.0f;
        for (int apart = 16; apart > 0; apart /= 2) {
            mine.sum += __shfl_xor_sync(0xffffffff, mine.sum, apart);
        }

        const float share = 1.0f / mine.sum;
        for (int p = threadIdx.x; p < packs; p += blockDim.x) {
            Pack<float, 4> pack = kept[p];
            for (float& value : pack.element) value *= share;
            to[p] = pack;
        }
    }
}
