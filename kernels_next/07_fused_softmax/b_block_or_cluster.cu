// Row softmax, a block a row, or a cluster of BLOCKS blocks: the row is kept in registers.
//
//   x, y   T[rows][columns], x only read, y written, both at addresses of a T and equally far from a
//          16-byte boundary; columns: any number up to 16 / sizeof(T) * THREADS * PACKS * BLOCKS
//   grid   rows * BLOCKS: blocks BLOCKS * r ... own row r
//   block  THREADS threads; block b of the cluster owns packs b * part ... of the row, thread t of
//          it every THREADSth of them
//
// A row may begin anywhere. Its packs begin on 16-byte boundaries; what lies before the first and
// after the last, less than two packs, are single elements of the first block's first threads.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename T>
struct alignas(16) Pack {  // 16 bytes that are loaded and stored as one
    static constexpr int N = 16 / sizeof(T);
    T element[N];
};

struct alignas(8) Pair {
    float max, sum;  // the largest x so far, and the sum of exp(x - max)
};

// The pair of 32 lanes' pairs, in every lane: the maximum first, so that a lane needs one exponential.
__device__ Pair merge_warp(Pair mine) {
    float max = mine.max;
    for (int d = 16; d > 0; d /= 2) max = fmaxf(max, __shfl_xor_sync(~0u, max, d));
    float sum = max == -INFINITY ? mine.sum : mine.sum * __expf(mine.max - max);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    return {max, sum};
}

// The pair of all threads of all blocks of the row's cluster, from the pairs of their warps.
template <int BLOCKS, int WARPS>
__device__ Pair merge_row(Pair of_my_warp) {
    __shared__ Pair of_warp[WARPS], of_block[BLOCKS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) of_warp[warp] = of_my_warp;
    __syncthreads();  // every warp reads what all of them have written
    const Pair nothing = {-INFINITY, 0.0f};
    Pair all = merge_warp(lane < WARPS ? of_warp[lane] : nothing);
    if constexpr (BLOCKS > 1) {
        auto cluster = cooperative_groups::this_cluster();
        cluster.barrier_wait();  // all blocks run: their shared memory may be written
        if (threadIdx.x < BLOCKS) {
            *cluster.map_shared_rank(&of_block[cluster.block_rank()], threadIdx.x) = all;
        }
        cluster.sync();  // every warp reads what all blocks have left here
        all = merge_warp(lane < BLOCKS ? of_block[lane] : nothing);
    }
    return all;
}

template <typename T, int THREADS, int PACKS, int BLOCKS>
__device__ void softmax_row(const T* x, T* y, int columns) {
    if constexpr (BLOCKS > 1) cooperative_groups::this_cluster().barrier_arrive();
    constexpr int N = Pack<T>::N;
    const size_t start = static_cast<size_t>(blockIdx.x / BLOCKS) * columns;
    const int rank = blockIdx.x % BLOCKS, thread = threadIdx.x;
    const int before = -(reinterpret_cast<size_t>(x + start) / sizeof(T)) % N;  // the first pack
    const int head = min(before, columns), whole = (columns - head) / N;
    const int part = (whole + BLOCKS - 1) / BLOCKS, packs = min(part, whole - rank * part);
    const int single = thread < head ? thread : N * whole + thread;  // where it lies, if there is one
    const bool has_single = rank == 0 && thread < columns - N * whole;
    const size_t body = start + head + static_cast<size_t>(rank) * part * N;

    const auto* from = reinterpret_cast<const Pack<T>*>(x + body);
    Pack<T> batch[PACKS];
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        if (k * THREADS + thread < packs) {
            batch[k] = from[k * THREADS + thread];
        } else {
            for (T& value : batch[k].element) value = static_cast<T>(-INFINITY);
        }
    }
    float alone = has_single ? static_cast<float>(x[start + single]) : -INFINITY;

    float kept[PACKS][N];
    Pair mine = {alone, 0.0f};
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        for (int i = 0; i < N; i++) {
            kept[k][i] = static_cast<float>(batch[k].element[i]);
            mine.max = fmaxf(mine.max, kept[k][i]);
        }
    }
    for (int d = 16; d > 0; d /= 2) mine.max = fmaxf(mine.max, __shfl_xor_sync(~0u, mine.max, d));
    const float origin = mine.max == -INFINITY ? 0.0f : mine.max;  // the warp's own
    mine.sum = alone = __expf(alone - origin);
    for (auto& pack : kept) {
        for (float& value : pack) mine.sum += (value = __expf(value - origin));
    }
    for (int d = 16; d > 0; d /= 2) mine.sum += __shfl_xor_sync(~0u, mine.sum, d);
    const Pair all = merge_row<BLOCKS, THREADS / 32>(mine);

    const float share = __expf(mine.max - all.max) / all.sum;  // from the warp's maximum
    auto* to = reinterpret_cast<float4*>(y + body);
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        for (int i = 0; i < N; i++) batch[k].element[i] = static_cast<T>(kept[k][i] * share);
        if (k * THREADS + thread < packs) {  // streamed: not read again soon
            __stcs(&to[k * THREADS + thread], reinterpret_cast<float4&>(batch[k]));
        }
    }
    if (has_single) y[start + single] = static_cast<T>(alone * share);
}

extern "C" __global__ void __launch_bounds__(256)
    block_4096(const float* x, float* y, int rows, int columns) {
    softmax_row<float, 256, 4, 1>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(512) __cluster_dims__(4)
    cluster_65536(const float* x, float* y, int rows, int columns) {
    softmax_row<float, 512, 8, 4>(x, y, columns);
}
