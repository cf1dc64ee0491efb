// Row softmax, the whole GPU a row, row after row: every block keeps its part in registers, and the
// blocks tell each other their pairs through global memory, LAG rows before they need an answer.
//
//   x, y        float[rows][columns], x only read, y written, both at addresses of a float and
//               equally far from a 16-byte boundary; columns: up to 4 * THREADS * PACKS * gridDim.x
//   pairs       Pair[rows][gridDim.x], written
//   come        unsigned int[rows], 0 before the launch, and again after it
//   finished    unsigned int[1], 0 before the launch, and again after it
//   grid        blocks that run at the same time (a cooperative launch); block b owns packs
//               b * part ... of every row
//   block       THREADS threads that calculate, a warp that publishes, and LAG + 1 that gather
//   shared_mem  16 * THREADS * SLOTS bytes: the ring, in slots of a pack for each thread
struct alignas(16) Pack {
    float element[4];
};

struct alignas(8) Pair {
    float max, sum;  // the largest x so far, and the sum of exp(x - max)
};

using Barrier = unsigned long long;  // an mbarrier, in shared memory

__device__ unsigned address(const void* shared) {
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}
__device__ void expect(Barrier* barrier, unsigned bytes) {  // the only arrival of a phase
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address(barrier)),
                 "r"(bytes)
                 : "memory");
}
__device__ void await(Barrier* barrier,
                      unsigned parity) {  // until all bytes of the phase are there
    for (unsigned there = 0; !there;) {
        asm volatile(
            "{\n.reg .pred p;\n"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
            "selp.u32 %0, 1, 0, p;\n}"
            : "=r"(there)
            : "r"(address(barrier)), "r"(parity)
            : "memory");
    }
}
__device__ void fetch(void* to, const void* from, unsigned bytes, Barrier* barrier) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(address(to)),
        "l"(from), "r"(bytes), "r"(address(barrier))
        : "memory");
}
__device__ float exp_fast(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.442695041f));
    return y;
}

// The pair of 32 lanes' pairs, in every lane: the maximum first, so that a lane needs one exponential.
__device__ Pair merge_warp(Pair mine) {
    float max = mine.max;
    for (int d = 16; d > 0; d /= 2) max = fmaxf(max, __shfl_xor_sync(~0u, max, d));
    float sum = max == -INFINITY ? mine.sum : mine.sum * exp_fast(mine.max - max);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    return {max, sum};
}

constexpr int MOST = 5;  // pairs a lane gathers: up to 160 blocks

__device__ Pair nothing() {
    return {-INFINITY, 0.0f};
}

// Named barriers: some warps arrive and go on, others wait for them; `threads` counts both.
__device__ void arrive(int barrier, int threads) {
    __syncwarp();
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ void meet(int barrier, int threads) {
    __syncwarp();
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// One more block has left its pair, and whoever sees the count sees the pair as well.
__device__ void count(unsigned* counter) {
    asm volatile("red.release.gpu.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}
__device__ void await_count(const unsigned* counter, unsigned target) {
    unsigned seen;
    do {
        asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
    } while (seen < target);
}

struct Part {  // of a row: that of this block, and where this thread's single element lies
    size_t body;
    int packs, single, singles;
    __device__ Part(const float* x, size_t row, int columns, int rank, int part) {
        const size_t start = row * columns;
        const int head = -(reinterpret_cast<size_t>(x + start) / 4) % 4;  // up to the first pack
        const int whole = (columns - head) / 4, thread = threadIdx.x;
        body = start + head + 4 * static_cast<size_t>(rank) * part;
        packs = min(part, whole - rank * part);
        single = thread < head ? thread : 4 * whole + thread;
        singles = rank == 0 ? columns - 4 * whole : 0;
    }
};

// What warps that calculate and the two others leave for each other, for each of SETS rows in turn.
template <int SETS, int WARPS, int SLOTS>
struct Desk {
    Pair of_warp[SETS][WARPS], of_row[SETS];
    Barrier full[SLOTS];
};

template <int THREADS, int PACKS, int SLOTS>
__device__ void ask_for(const float* x, int row, int k, int slot, int rows, int columns, int part,
                        Pack* ring,
                        Barrier* full) {  // slice k of my part of the row, if there is one
    if (row >= rows) return;
    const Part of_row(x, row, columns, blockIdx.x, part);
    const int packs = max(0, min(THREADS, of_row.packs - k * THREADS));
    expect(&full[slot], 16 * packs);
    if (packs == 0) return;
    fetch(&ring[slot * THREADS], x + of_row.body + 4 * k * THREADS, 16 * packs, &full[slot]);
}

template <int THREADS, int PACKS, int SLOTS, int SETS>
__device__ void calculate(const float* x, float* y, int rows, int columns, int part, Pack* ring,
                          Desk<SETS, THREADS / 32, SLOTS>& desk) {
    constexpr int ALL = THREADS + 64;
    const int thread = threadIdx.x;
    Pack kept[SETS][PACKS];
    float alone[SETS], of_mine[SETS];  // a single element; the maximum of my warp
    int slot = 0, phase = 0;
    for (int first = 0; first < rows + SETS; first += SETS) {
#pragma unroll
        for (int s = 0; s < SETS; s++) {
            const int row = first + s, old = row - SETS;
            if (old >= 0 && old < rows) {
                meet(8 + s,
                     ALL);  // the gatherer has left the old row's pair, the publisher read ours
                const Pair all = desk.of_row[s];
                const float share = exp_fast(of_mine[s] - all.max) / all.sum;
                const Part of_row(x, old, columns, blockIdx.x, part);
                auto* to = reinterpret_cast<float4*>(y + of_row.body) + thread;
#pragma unroll
                for (int k = 0; k < PACKS; k++) {
                    for (float& value : kept[s][k].element) value *= share;
                    if (k * THREADS + thread < of_row.packs) {
                        to[k * THREADS] = reinterpret_cast<float4&>(kept[s][k]);
                    }
                }
                if (thread < of_row.singles) {
                    y[static_cast<size_t>(old) * columns + of_row.single] = alone[s] * share;
                }
            }
            if (row >= rows) continue;
            const Part of_row(x, row, columns, blockIdx.x, part);
            const size_t single = static_cast<size_t>(row) * columns + of_row.single;
            alone[s] = thread < of_row.singles ? x[single] : -INFINITY;
            Pair mine = nothing();
#pragma unroll
            for (int k = 0; k < PACKS; k++) {
                await(&desk.full[slot], phase);
                for (float& value : kept[s][k].element) value = -INFINITY;
                if (k * THREADS + thread < of_row.packs) kept[s][k] = ring[slot * THREADS + thread];
                for (float value : kept[s][k].element) mine.max = fmaxf(mine.max, value);
                slot++;
                if (slot == SLOTS) slot = 0, phase ^= 1;
            }
            mine.max = fmaxf(mine.max, alone[s]);
            for (int d = 16; d > 0; d /= 2) {
                mine.max = fmaxf(mine.max, __shfl_xor_sync(~0u, mine.max, d));
            }
            of_mine[s] = mine.max;
            const float origin = mine.max == -INFINITY ? 0.0f : mine.max;
            mine.sum = alone[s] = exp_fast(alone[s] - origin);
            for (auto& pack : kept[s]) {
                for (float& value : pack.element) mine.sum += (value = exp_fast(value - origin));
            }
            for (int d = 16; d > 0; d /= 2) mine.sum += __shfl_xor_sync(~0u, mine.sum, d);
            if (thread % 32 == 0) desk.of_warp[s][thread / 32] = mine;
            arrive(1 + s, ALL);  // publisher and gatherer may go on, and the ring is read
        }
    }
}

template <int THREADS, int PACKS, int SLOTS, int LAG>
__device__ void softmax_gpu(const float* x, float* y, Pair* pairs, unsigned* come,
                            unsigned* finished, int rows, int columns) {
    static_assert(LAG < 7);  // named barriers 1 to 7 and 8 to 14
    extern __shared__ Pack ring[];
    __shared__ Desk<LAG + 1, THREADS / 32, SLOTS> desk;
    const int lane = threadIdx.x % 32, blocks = gridDim.x;
    const int part = (columns / 4 + blocks - 1) / blocks;
    if (threadIdx.x == 0) {
        for (auto& barrier : desk.full) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&barrier)) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int q = 0; q < SLOTS; q++) {
            ask_for<THREADS, PACKS, SLOTS>(x, q / PACKS, q % PACKS, q, rows, columns, part, ring,
                                           desk.full);
        }
    }
    __syncthreads();  // all may wait at the barriers
    if (threadIdx.x < THREADS) {
        calculate<THREADS, PACKS, SLOTS, LAG + 1>(x, y, rows, columns, part, ring, desk);
    } else if (threadIdx.x < THREADS + 32) {  // the warp that publishes, and asks for more
        int slot = 0;
        for (int row = 0; row < rows; row++) {
            const int s = row % (LAG + 1);
            meet(1 + s, THREADS + 64);  // every warp has left its pair
            const Pair all = merge_warp(lane < THREADS / 32 ? desk.of_warp[s][lane] : nothing());
            if (lane == 0) {
                pairs[static_cast<size_t>(row) * blocks + blockIdx.x] = all;
                count(&come[row]);
            }
            for (int k = 0; k < PACKS; k++) {
                if (lane == 0) {
                    ask_for<THREADS, PACKS, SLOTS>(x, row + (k + SLOTS) / PACKS,
                                                   (k + SLOTS) % PACKS, slot, rows, columns, part,
                                                   ring, desk.full);
                }
                if (++slot == SLOTS) slot = 0;
            }
            arrive(8 + s, THREADS + 64);
        }
    } else {  // a warp that gathers, of LAG + 1: every one has a desk of its own
        const int s = threadIdx.x / 32 - THREADS / 32 - 1;
        for (int row = s; row < rows; row += LAG + 1) {
            const Pair* of_block = &pairs[static_cast<size_t>(row) * blocks];
            meet(1 + s, THREADS + 64);  // and read what was left for the row before on this desk
            if (lane == 0) await_count(&come[row], blocks);
            __syncwarp();
            Pair some[MOST], all = nothing();
#pragma unroll
            for (int k = 0; k < MOST; k++) {  // all on the way at once
                const int b = lane + 32 * k;
                some[k] = nothing();
                if (b < blocks) {
                    const float2 pair = __ldcg(reinterpret_cast<const float2*>(&of_block[b]));
                    some[k] = {pair.x, pair.y};
                }
            }
            for (Pair one : some) all.max = fmaxf(all.max, one.max);
            const float origin = all.max == -INFINITY ? 0.0f : all.max;
            for (Pair one : some) all.sum += one.sum * exp_fast(one.max - origin);
            all = merge_warp(all);
            if (lane == 0) desk.of_row[s] = all;
            arrive(8 + s, THREADS + 64);  // the row may be written
        }
        unsigned ticket = 0;
        if (lane == 0) {  // after all that this warp has asked
            asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 1;"
                         : "=r"(ticket)
                         : "l"(finished)
                         : "memory");
        }
        __syncwarp();  // the other lanes, too, come after what lane 0 has seen
        if (__shfl_sync(~0u, ticket, 0) == blocks * (LAG + 1) - 1) {  // nobody asks any more
            for (int row = lane; row < rows; row += 32) come[row] = 0;
            if (lane == 0) *finished = 0;
        }
    }
}

extern "C" __global__ void __launch_bounds__(832)
    gpu_1m(const float* x, float* y, Pair* pairs, unsigned* come, unsigned* finished, int rows,
           int columns) {
    softmax_gpu<672, 3, 20, 3>(x, y, pairs, come, finished, rows, columns);
}
extern "C" __global__ void __launch_bounds__(608)
    gpu_2m(const float* x, float* y, Pair* pairs, unsigned* come, unsigned* finished, int rows,
           int columns) {
    softmax_gpu<512, 8, 26, 1>(x, y, pairs, come, finished, rows, columns);
}
extern "C" __global__ void __launch_bounds__(576)
    gpu_4m(const float* x, float* y, Pair* pairs, unsigned* come, unsigned* finished, int rows,
           int columns) {
    softmax_gpu<512, 16, 26, 0>(x, y, pairs, come, finished, rows, columns);
}
