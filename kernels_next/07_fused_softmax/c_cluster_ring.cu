// Row softmax, a cluster of BLOCKS blocks, row after row: the next rows are on their way into shared
// memory while this one is in registers.
//
//   x, y        float[rows][columns], x only read, y written, both at addresses of a float and
//               equally far from a 16-byte boundary; columns: up to 4 * THREADS * PACKS * BLOCKS
//   grid        BLOCKS * as many clusters as the device holds at once; cluster c owns rows c, c +
//               clusters, ...; block b of it owns packs b * part ... of such a row
//   block       THREADS threads; thread t owns every THREADSth pack of its block's part
//   shared_mem  16 * THREADS * SLOTS bytes: the ring. Slot s of thread t is ring[s * THREADS + t]:
//               nobody else touches it, so that a thread waits for its own copies and no barrier.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

struct alignas(16) Pack {
    float element[4];
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

// The pair of all threads of the cluster, from the pairs of their warps. `odd` alternates from call
// to call: what is read in one call is not written in the next, by the fastest of blocks.
template <int BLOCKS, int WARPS>
__device__ Pair merge_row(Pair of_my_warp, int odd) {
    __shared__ Pair of_warp[2][WARPS], of_block[2][BLOCKS];
    auto cluster = cooperative_groups::this_cluster();
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) of_warp[odd][warp] = of_my_warp;
    __syncthreads();  // warp 0 reads what every warp has written
    const Pair nothing = {-INFINITY, 0.0f};
    if (warp == 0) {
        const Pair all = merge_warp(lane < WARPS ? of_warp[odd][lane] : nothing);
        if (lane < BLOCKS) {
            *cluster.map_shared_rank(&of_block[odd][cluster.block_rank()], lane) = all;
        }
    }
    cluster.sync();  // every warp reads what all blocks have left here
    return merge_warp(lane < BLOCKS ? of_block[odd][lane] : nothing);
}

template <int BLOCKS>
struct Part {  // of a row: that of this block, and where this thread's single element lies
    size_t body;
    int packs, single, singles;
    __device__ Part(const float* x, size_t row, int columns) {
        const int rank = blockIdx.x % BLOCKS, thread = threadIdx.x;
        const size_t start = row * columns;
        const int head = -(reinterpret_cast<size_t>(x + start) / 4) % 4;  // up to the first pack
        const int whole = (columns - head) / 4, part = (whole + BLOCKS - 1) / BLOCKS;
        body = start + head + 4 * static_cast<size_t>(rank) * part;
        packs = min(part, whole - rank * part);
        single = thread < head ? thread : 4 * whole + thread;
        singles = rank == 0 ? columns - 4 * whole : 0;
    }
};

template <int THREADS, int PACKS, int SLOTS, int BLOCKS>
__device__ void softmax_ring(const float* x, float* y, int rows, int columns) {
    extern __shared__ Pack ring[];
    const int thread = threadIdx.x, step = gridDim.x / BLOCKS;
    auto fetch = [&](size_t row, int k, int slot) {  // pack k of the row, if there is one
        if (row < rows) {
            const Part<BLOCKS> part(x, row, columns);
            const auto* from = reinterpret_cast<const Pack*>(x + part.body) + k * THREADS + thread;
            if (k * THREADS + thread < part.packs) {
                __pipeline_memcpy_async(&ring[slot * THREADS + thread], from, sizeof(Pack));
            }
        }
        __pipeline_commit();
    };
    size_t row = blockIdx.x / BLOCKS;
#pragma unroll
    for (int q = 0; q < SLOTS; q++) fetch(row + q / PACKS * step, q % PACKS, q);
    cooperative_groups::this_cluster().sync();  // all blocks run: they may be written to

    for (int slot = 0, odd = 0; row < rows; row += step, odd ^= 1) {
        const Part<BLOCKS> part(x, row, columns);
        const size_t single = row * columns + part.single;
        float alone = thread < part.singles ? x[single] : -INFINITY;  // not needed before the ring
        Pack kept[PACKS];
        Pair mine = {-INFINITY, 0.0f};
#pragma unroll
        for (int k = 0; k < PACKS; k++) {
            __pipeline_wait_prior(SLOTS - 1);  // all but the SLOTS - 1 that were asked for last
            const bool there = k * THREADS + thread < part.packs;
            for (float& value : kept[k].element) value = -INFINITY;
            if (there) kept[k] = ring[slot * THREADS + thread];
            for (float value : kept[k].element) mine.max = fmaxf(mine.max, value);
            fetch(row + (k + SLOTS) / PACKS * step, (k + SLOTS) % PACKS, slot);
            slot = slot + 1 == SLOTS ? 0 : slot + 1;
        }
        mine.max = fmaxf(mine.max, alone);
        for (int d = 16; d > 0; d /= 2) {
            mine.max = fmaxf(mine.max, __shfl_xor_sync(~0u, mine.max, d));
        }
        const float origin = mine.max == -INFINITY ? 0.0f : mine.max;  // the warp's own
        mine.sum = alone = __expf(alone - origin);
        for (auto& pack : kept) {
            for (float& value : pack.element) mine.sum += (value = __expf(value - origin));
        }
        for (int d = 16; d > 0; d /= 2) mine.sum += __shfl_xor_sync(~0u, mine.sum, d);
        const Pair all = merge_row<BLOCKS, THREADS / 32>(mine, odd);

        const float share = __expf(mine.max - all.max) / all.sum;  // from the warp's maximum
        auto* to = reinterpret_cast<float4*>(y + part.body) + thread;
#pragma unroll
        for (int k = 0; k < PACKS; k++) {
            for (float& value : kept[k].element) value *= share;
            if (k * THREADS + thread < part.packs) {  // streamed: not read again soon
                __stcs(&to[k * THREADS], reinterpret_cast<float4&>(kept[k]));
            }
        }
        if (thread < part.singles) y[single] = alone * share;
    }
}

extern "C" __global__ void __launch_bounds__(1024) __cluster_dims__(8)
    ring_8(const float* x, float* y, int rows, int columns) {
    softmax_ring<1024, 4, 12, 8>(x, y, rows, columns);
}
