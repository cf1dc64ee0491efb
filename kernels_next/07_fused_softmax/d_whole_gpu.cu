// Row softmax, the whole GPU a row, row after row: every block keeps its part in registers, and the
// blocks tell each other their pairs through global memory, LAG rows before they need an answer.
//
//   x, y        float[rows][columns], x only read, y written, both at addresses of a float and
//               equally far from a 16-byte boundary; columns: up to 4 * THREADS * PACKS * gridDim.x
//   pairs       Pair[rows][gridDim.x], all its bits set before the launch, and again after it
//   finished    unsigned int[1], 0 before the launch, and again after it
//   grid        blocks that run at the same time (a cooperative launch); block b owns packs
//               b * part ... of every row
//   block       THREADS threads that calculate, a warp that publishes, and a warp that gathers
//   shared_mem  16 * THREADS * SLOTS bytes: the ring. Slot s of thread t is ring[s * THREADS + t].
//
// A pair is one word of 64 bits: who sees it sees all of it, and nothing else hangs on it, so that
// no fence stands in anybody's way. All bits set is no pair: a maximum is never that NaN.
#include <cuda_pipeline.h>

struct alignas(16) Pack {
    float element[4];
};

struct alignas(8) Pair {
    float max, sum;  // the largest x so far, and the sum of exp(x - max)
};

__device__ Pair nothing() {
    return {-INFINITY, 0.0f};
}

// The pair of 32 lanes' pairs, in every lane: the maximum first, so that a lane needs one exponential.
__device__ Pair merge_warp(Pair mine) {
    float max = mine.max;
    for (int d = 16; d > 0; d /= 2) max = fmaxf(max, __shfl_xor_sync(~0u, max, d));
    float sum = max == -INFINITY ? mine.sum : mine.sum * __expf(mine.max - max);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    return {max, sum};
}

__device__ Pair merge(Pair a, Pair b) {
    const float max = fmaxf(a.max, b.max), from = max == -INFINITY ? 0.0f : max;
    return {max, a.sum * __expf(a.max - from) + b.sum * __expf(b.max - from)};
}

// Named barriers: some warps arrive and go on, others wait for them; `threads` counts both.
__device__ void arrive(int barrier, int threads) {
    __syncwarp();
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ void await(int barrier, int threads) {
    __syncwarp();
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

__device__ void tell(Pair* place, Pair pair) {
    asm volatile("st.relaxed.gpu.v2.f32 [%0], {%1, %2};" ::"l"(place), "f"(pair.max), "f"(pair.sum)
                 : "memory");
}
__device__ Pair ask(const Pair* place) {  // until it is there
    unsigned long long word;
    do {
        asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(word) : "l"(place) : "memory");
    } while (word == ~0ull);
    return {__uint_as_float(static_cast<unsigned>(word)),
            __uint_as_float(static_cast<unsigned>(word >> 32))};
}

struct Part {  // of a row: that of this block, and where this thread's single element lies
    size_t body;
    int packs, single, singles;
    __device__ Part(const float* x, size_t row, int columns) {
        const int rank = blockIdx.x, thread = threadIdx.x;
        const size_t start = row * columns;
        const int head = -(reinterpret_cast<size_t>(x + start) / 4) % 4;  // up to the first pack
        const int whole = (columns - head) / 4, part = (whole + gridDim.x - 1) / gridDim.x;
        body = start + head + 4 * static_cast<size_t>(rank) * part;
        packs = min(part, whole - rank * part);
        single = thread < head ? thread : 4 * whole + thread;
        singles = rank == 0 ? columns - 4 * whole : 0;
    }
};

// What warps that calculate and the two others leave for each other, for each of SETS rows in turn.
template <int SETS, int WARPS>
struct Desk {
    Pair of_warp[SETS][WARPS], of_row[SETS];
};

template <int THREADS, int PACKS, int SLOTS, int LAG>
__device__ void calculate(const float* x, float* y, int rows, int columns, Pack* ring,
                          Desk<LAG + 1, THREADS / 32>& desk) {
    constexpr int SETS = LAG + 1, ALL = THREADS + 64;
    const int thread = threadIdx.x, warp = thread / 32;
    auto fetch = [&](int row, int k, int slot) {  // pack k of the row, if there is one
        if (row < rows) {
            const Part part(x, row, columns);
            const auto* from = reinterpret_cast<const Pack*>(x + part.body) + k * THREADS + thread;
            if (k * THREADS + thread < part.packs) {
                __pipeline_memcpy_async(&ring[slot * THREADS + thread], from, sizeof(Pack));
            }
        }
        __pipeline_commit();
    };
#pragma unroll
    for (int q = 0; q < SLOTS; q++) fetch(q / PACKS, q % PACKS, q);

    Pack kept[SETS][PACKS];
    float alone[SETS], of_mine[SETS];  // a single element; the maximum of my warp
    int slot = 0;
    for (int first = 0; first < rows + SETS; first += SETS) {
#pragma unroll
        for (int s = 0; s < SETS; s++) {
            const int row = first + s, old = row - SETS;
            if (old >= 0 && old < rows) {
                await(8 + s, ALL);  // the gatherer has left the old row's pair, the publisher read ours
                const Pair all = desk.of_row[s];
                const float share = __expf(of_mine[s] - all.max) / all.sum;
                const Part part(x, old, columns);
                auto* to = reinterpret_cast<float4*>(y + part.body) + thread;
#pragma unroll
                for (int k = 0; k < PACKS; k++) {
                    for (float& value : kept[s][k].element) value *= share;
                    if (k * THREADS + thread < part.packs) {  // streamed: not read again soon
                        __stcs(&to[k * THREADS], reinterpret_cast<float4&>(kept[s][k]));
                    }
                }
                if (thread < part.singles) {
                    y[static_cast<size_t>(old) * columns + part.single] = alone[s] * share;
                }
            }
            if (row >= rows) continue;
            const Part part(x, row, columns);
            const size_t single = static_cast<size_t>(row) * columns + part.single;
            alone[s] = thread < part.singles ? x[single] : -INFINITY;
            Pair mine = nothing();
#pragma unroll
            for (int k = 0; k < PACKS; k++) {
                __pipeline_wait_prior(SLOTS - 1);  // all but the SLOTS - 1 asked for last
                for (float& value : kept[s][k].element) value = -INFINITY;
                if (k * THREADS + thread < part.packs) kept[s][k] = ring[slot * THREADS + thread];
                for (float value : kept[s][k].element) mine.max = fmaxf(mine.max, value);
                fetch(row + (k + SLOTS) / PACKS, (k + SLOTS) % PACKS, slot);
                slot = slot + 1 == SLOTS ? 0 : slot + 1;
            }
            mine.max = fmaxf(mine.max, alone[s]);
            for (int d = 16; d > 0; d /= 2) {
                mine.max = fmaxf(mine.max, __shfl_xor_sync(~0u, mine.max, d));
            }
            of_mine[s] = mine.max;
            const float origin = mine.max == -INFINITY ? 0.0f : mine.max;
            mine.sum = alone[s] = __expf(alone[s] - origin);
            for (auto& pack : kept[s]) {
                for (float& value : pack.element) mine.sum += (value = __expf(value - origin));
            }
            for (int d = 16; d > 0; d /= 2) mine.sum += __shfl_xor_sync(~0u, mine.sum, d);
            if (thread % 32 == 0) desk.of_warp[s][warp] = mine;
            arrive(1 + s, ALL);  // publisher and gatherer may go on
        }
    }
}

template <int THREADS, int PACKS, int SLOTS, int LAG>
__device__ void softmax_gpu(const float* x, float* y, Pair* pairs, unsigned* finished, int rows,
                            int columns) {
    static_assert(LAG < 7);  // named barriers 1 to 7 and 8 to 14
    extern __shared__ Pack ring[];
    __shared__ Desk<LAG + 1, THREADS / 32> desk;
    const int lane = threadIdx.x % 32, blocks = gridDim.x;
    if (threadIdx.x < THREADS) {
        calculate<THREADS, PACKS, SLOTS, LAG>(x, y, rows, columns, ring, desk);
    } else if (threadIdx.x < THREADS + 32) {  // the warp that publishes
        for (int row = 0; row < rows; row++) {
            const int s = row % (LAG + 1);
            await(1 + s, THREADS + 64);  // every warp has left its pair
            const Pair all = merge_warp(lane < THREADS / 32 ? desk.of_warp[s][lane] : nothing());
            if (lane == 0) tell(&pairs[static_cast<size_t>(row) * blocks + blockIdx.x], all);
            arrive(8 + s, THREADS + 64);
        }
    } else {  // the warp that gathers
        for (int row = 0; row < rows; row++) {
            const int s = row % (LAG + 1);
            const Pair* of_block = &pairs[static_cast<size_t>(row) * blocks];
            Pair all = nothing();
            await(1 + s, THREADS + 64);  // and read what was left for the row before on this desk
            for (int b = lane; b < blocks; b += 32) all = merge(all, ask(&of_block[b]));
            all = merge_warp(all);
            if (lane == 0) desk.of_row[s] = all;
            arrive(8 + s, THREADS + 64);  // the row may be written
        }
        unsigned ticket = 0;
        if (lane == 0) {  // after all that this warp has asked
            asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 1;" : "=r"(ticket) : "l"(finished) : "memory");
        }
        if (__shfl_sync(~0u, ticket, 0) == blocks - 1) {  // nobody asks any more
            const float unset = __uint_as_float(~0u);
            for (size_t i = lane; i < static_cast<size_t>(rows) * blocks; i += 32) {
                tell(&pairs[i], {unset, unset});
            }
            if (lane == 0) *finished = 0;
        }
    }
}

extern "C" __global__ void __launch_bounds__(576)
    gpu_1m(const float* x, float* y, Pair* pairs, unsigned* finished, int rows, int columns) {
    softmax_gpu<512, 4, 27, 3>(x, y, pairs, finished, rows, columns);
}
