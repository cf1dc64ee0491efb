// Row softmax, one block per row, the row kept in shared memory: copied asynchronously.
//
//   x, y        float[rows][columns], x only read, y written; block b owns rows b, b + gridDim.x,
//               b + 2 * gridDim.x ...; columns: a multiple of 4
//   block       whole warps: a multiple of 32 threads, at most 1024
//   shared_mem  4 * columns bytes: the row. Thread t owns packs t, t + blockDim.x, ... of it.
#include <cuda_pipeline.h>

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

extern "C" __global__ void block_async(const float* x, float* y, int rows, int columns) {
    extern __shared__ Pack<float, 4> kept[];  // the row, then its exponentials
    __shared__ Pair of_warp[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const int packs = columns / 4;
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {  // the same rows for all threads
        const size_t start = static_cast<size_t>(row) * columns;
        const auto* from = reinterpret_cast<const Pack<float, 4>*>(x + start);
        auto* to = reinterpret_cast<Pack<float, 4>*>(y + start);
        for (int p = threadIdx.x; p < packs; p += blockDim.x) {
            __pipeline_memcpy_async(&kept[p], &from[p],
                                    sizeof(kept[p]));  // begins a copy, and returns
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);  // wait for this thread's copies: it reads no others

        Pair mine = {-INFINITY, 0.0f};
        for (int p = threadIdx.x; p < packs; p += blockDim.x) {
            const Pack<float, 4> pack = kept[p];
            for (float value : pack.element) mine.max = fmaxf(mine.max, value);
        }
        for (int offset = 16; offset > 0; offset /= 2) {
            mine.max = fmaxf(mine.max, __shfl_xor_sync(0xffffffff, mine.max, offset));
        }
        const float origin = mine.max == -INFINITY ? 0.0f : mine.max;  // the warp's own
        for (int p = threadIdx.x; p < packs; p += blockDim.x) {
            Pack<float, 4> pack = kept[p];  // this thread wrote it: no barrier needed
            for (float& value : pack.element) mine.sum += (value = __expf(value - origin));
            kept[p] = pack;
        }
        for (int offset = 16; offset > 0; offset /= 2) {
            mine.sum += __shfl_xor_sync(0xffffffff, mine.sum, offset);
        }

        __syncthreads();  // every warp has read what of_warp held for the row before
        if (lane == 0) of_warp[warp] = mine;
        __syncthreads();  // this row: every warp reads what all of them have written
        const Pair all = butterfly(lane < warps ? of_warp[lane] : Pair{-INFINITY, 0.0f});

        const float share = __expf(mine.max - all.max) / all.sum;  // from the warp's maximum
        for (int p = threadIdx.x; p < packs; p += blockDim.x) {
            Pack<float, 4> pack = kept[p];
            for (float& value : pack.element) value *= share;
            // a hint: y may leave the caches first
            __stcs(reinterpret_cast<float4*>(&to[p]), reinterpret_cast<float4&>(pack));
        }
    }
}
