// Row softmax, one cluster of blocks per row: each keeps its part of the row in shared memory.
//
//   x, y        float[rows][columns], x only read, y written; columns: a multiple of 4; cluster r
//               owns row r; its block b owns packs b * part to (b + 1) * part - 1 of this row
//   block       whole warps: a multiple of 32 threads, at most 1024
//   shared_mem  16 * part bytes, part = columns / 4 / BLOCKS, rounded up
#include <cooperative_groups.h>
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

template <int BLOCKS>
__device__ void softmax_in_cluster(const float* x, float* y, int columns) {
    extern __shared__ Pack<float, 4> kept[];  // this block's part of the row
    __shared__ Pair of_warp[BLOCKS * 32];     // of all warps of the cluster
    auto cluster = cooperative_groups::this_cluster();
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const int rank = cluster.block_rank(), part = (columns / 4 + BLOCKS - 1) / BLOCKS;
    const int packs = min(part, columns / 4 - rank * part);  // the last part may be short, or none
    const size_t start = static_cast<size_t>(blockIdx.x / BLOCKS) * columns + 4 * rank * part;
    const auto* from = reinterpret_cast<const Pack<float, 4>*>(x + start);
    auto* to = reinterpret_cast<float4*>(y + start);

    for (int p = threadIdx.x; p < packs; p += blockDim.x) {
        __pipeline_memcpy_async(&kept[p], &from[p], sizeof(kept[p]));
    }
    __pipeline_commit();
    cluster.sync();  // all blocks run: from here on their shared memory may be written
    __pipeline_wait_prior(0);
    Pair mine = {-INFINITY, 0.0f};
    for (int p = threadIdx.x; p < packs; p += blockDim.x) {
        const Pack<float, 4> pack = kept[p];
        for (float value : pack.element) mine.max = fmaxf(mine.max, value);
    }
    for (int d = 16; d > 0; d /= 2) mine.max = fmaxf(mine.max, __shfl_xor_sync(~0u, mine.max, d));
    const float origin = mine.max == -INFINITY ? 0.0f : mine.max;  // the warp's own
    for (int p = threadIdx.x; p < packs; p += blockDim.x) {
        Pack<float, 4> pack = kept[p];
        for (float& value : pack.element) mine.sum += (value = __expf(value - origin));
        kept[p] = pack;
    }
    for (int d = 16; d > 0; d /= 2) mine.sum += __shfl_xor_sync(~0u, mine.sum, d);
    // Lane b sends the warp's pair to block b. After the barrier, a block reads its own memory only.
    if (lane < BLOCKS) cluster.map_shared_rank(of_warp, lane)[rank * warps + warp] = mine;
    cluster.sync();  // every warp reads what all warps of all blocks have written
    Pair all = {-INFINITY, 0.0f};
    for (int w = lane; w < BLOCKS * warps; w += 32) all = merge(all, of_warp[w]);
    for (int d = 16; d > 0; d /= 2) {
        all = merge(all, {__shfl_xor_sync(~0u, all.max, d), __shfl_xor_sync(~0u, all.sum, d)});
    }

    const float share = __expf(mine.max - all.max) / all.sum;  // from the warp's maximum
    for (int p = threadIdx.x; p < packs; p += blockDim.x) {
        const float4 e = reinterpret_cast<const float4*>(kept)[p];
        __stcs(&to[p], make_float4(e.x * share, e.y * share, e.z * share, e.w * share));
    }
}

extern "C" __global__ void __cluster_dims__(4) cluster_4(const float* x, float* y, int columns) {
    softmax_in_cluster<4>(x, y, columns);
}
extern "C" __global__ void __cluster_dims__(8) cluster_8(const float* x, float* y, int columns) {
    softmax_in_cluster<8>(x, y, columns);
}
