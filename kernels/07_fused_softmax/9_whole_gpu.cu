// Row softmax, the whole GPU for one row after another: each block keeps its part in registers and
// sends its pair to the owner block of the row, LAG rows before it needs the pair of the row.
//
//   x, y        float[rows][columns], x only read, y written, both at addresses of a float and
//               equally far from a 16-byte boundary; columns: up to 4 * THREADS * PACKS * gridDim.x
//   messages    unsigned long long[2][2 * LAG + 2][gridDim.x], 0 before the launch, and again after
//               it. Per row in flight: a pair from every block, and the pair of the row for every block
//   grid        at most 160 blocks that run at the same time (a cooperative launch); block b holds
//               packs b * part ... of every row; block r % gridDim.x is the owner block of row r
//   block       THREADS threads that compute, a warp that sends pairs, LAG + 1 warps that merge them
//   shared_mem  16 * THREADS * SLOTS bytes: the ring, in slots of a pack for each thread
struct alignas(16) Pack {
    float element[4];
};

struct alignas(8) Pair {
    float max, sum;  // the largest x so far, and the sum of exp(x - max)
};

__device__ Pair empty_pair() {
    return {-INFINITY, 0.0f};
}

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
                      unsigned parity) {  // until all bytes of the phase have arrived
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

constexpr int MOST = 5;  // pairs that a lane gathers: up to 160 blocks

// Named barriers: some warps arrive and continue, others wait for them; `threads` counts both.
__device__ void arrive(int barrier, int threads) {
    __syncwarp();
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ void sync(int barrier, int threads) {
    __syncwarp();
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// A message has 64 bits: a pair, and in the lowest bit of its sum the epoch: how many messages were sent
// to this place, modulo 2. A thread reads all of a message or nothing, so no fence is needed.
__device__ unsigned long long message_of(Pair pair, unsigned epoch) {
    const unsigned long long max = __float_as_uint(pair.max);
    return max << 32 | __float_as_uint(pair.sum) & ~1u | epoch;
}
__device__ void send(unsigned long long* to, unsigned long long message) {
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(to), "l"(message) : "memory");
}
__device__ unsigned long long load(const unsigned long long* from) {
    unsigned long long message;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(message) : "l"(from) : "memory");
    return message;
}
__device__ Pair pair_of(unsigned long long message) {
    return {__uint_as_float(static_cast<unsigned>(message >> 32)),
            __uint_as_float(static_cast<unsigned>(message))};
}

// Waits for the messages of all blocks for this row, and returns the pair of the row in every lane.
__device__ Pair merge_messages(const unsigned long long* of_blocks, unsigned epoch) {
    const int lane = threadIdx.x % 32, blocks = gridDim.x;
    unsigned long long message[MOST];
    for (bool waiting = true; __any_sync(~0u, waiting);) {
        waiting = false;
#pragma unroll
        for (int k = 0; k < MOST; k++) {  // all loads in flight together
            const int b = lane + 32 * k;
            message[k] = b < blocks ? load(&of_blocks[b]) : message_of(empty_pair(), epoch);
        }
        for (auto word : message) waiting |= word % 2 != epoch;
    }
    Pair all = empty_pair();
    for (auto word : message) all.max = fmaxf(all.max, pair_of(word).max);
    const float origin = all.max == -INFINITY ? 0.0f : all.max;
    for (auto word : message) all.sum += pair_of(word).sum * exp_fast(pair_of(word).max - origin);
    return merge_warp(all);
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

// A block's work on all rows; row r uses set s = r % SETS. Named barrier 1 + s: all warps' pairs are in
// of_warp[s]. Barrier 8 + s: the pair of the row is in of_row[s], and of_warp[s] has been read.
template <int THREADS, int PACKS, int SLOTS, int SETS>
struct Work {
    static constexpr int WARPS = THREADS / 32, ALL = THREADS + 64, DEPTH = 2 * SETS;
    static_assert(SETS < 8);  // named barriers 1 to 7 and 8 to 14
    struct Shared {
        Pair of_warp[SETS][WARPS], of_row[SETS];
        Barrier full[SLOTS];
    };

    const float* x;
    float* y;
    unsigned long long* messages;
    int rows, columns, part;
    Pack* ring;
    Shared& shared;

    __device__ Part part_of(int row) const {
        return Part(x, row, columns, blockIdx.x, part);
    }

    __device__ void request(int row, int k, int slot) const {  // slice k of my part of the row
        if (row >= rows) return;
        const Part mine = part_of(row);
        const int packs = max(0, min(THREADS, mine.packs - k * THREADS));
        expect(&shared.full[slot], 16 * packs);
        if (packs == 0) return;
        fetch(&ring[slot * THREADS], x + mine.body + 4 * k * THREADS, 16 * packs,
              &shared.full[slot]);
    }

    __device__ void begin() const {  // one thread, before any thread waits
        for (auto& barrier : shared.full) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&barrier)) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int q = 0; q < SLOTS; q++) request(q / PACKS, q % PACKS, q);
    }

    __device__ void compute() const {
        const int thread = threadIdx.x;
        Pack kept[SETS][PACKS];
        float alone[SETS], of_mine[SETS];  // a single element; the maximum of my warp
        int slot = 0, phase = 0;
        for (int first = 0; first < rows + SETS; first += SETS) {
#pragma unroll
            for (int s = 0; s < SETS; s++) {
                const int row = first + s, old = row - SETS;
                if (old >= 0 && old < rows) {
                    sync(8 + s, ALL);
                    const Pair all = shared.of_row[s];
                    const float share = exp_fast(of_mine[s] - all.max) / all.sum;
                    const Part my = part_of(old);
                    auto* to = reinterpret_cast<float4*>(y + my.body) + thread;
#pragma unroll
                    for (int k = 0; k < PACKS; k++) {
                        for (float& value : kept[s][k].element) value *= share;
                        if (k * THREADS + thread < my.packs) {
                            to[k * THREADS] = reinterpret_cast<float4&>(kept[s][k]);
                        }
                    }
                    if (thread < my.singles) {
                        y[static_cast<size_t>(old) * columns + my.single] = alone[s] * share;
                    }
                }
                if (row >= rows) continue;
                const Part my = part_of(row);
                const size_t single = static_cast<size_t>(row) * columns + my.single;
                alone[s] = thread < my.singles ? x[single] : -INFINITY;
                Pair mine = empty_pair();
#pragma unroll
                for (int k = 0; k < PACKS; k++) {
                    await(&shared.full[slot], phase);
                    for (float& value : kept[s][k].element) value = -INFINITY;
                    if (k * THREADS + thread < my.packs) kept[s][k] = ring[slot * THREADS + thread];
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
                    for (float& value : pack.element) {
                        mine.sum += (value = exp_fast(value - origin));
                    }
                }
                for (int d = 16; d > 0; d /= 2) mine.sum += __shfl_xor_sync(~0u, mine.sum, d);
                if (thread % 32 == 0) shared.of_warp[s][thread / 32] = mine;
                arrive(1 + s, ALL);  // and the ring is read
            }
        }
    }

    __device__ void send_pairs() const {  // one warp, which also requests copies of x
        const int lane = threadIdx.x % 32, blocks = gridDim.x;
        for (int row = 0, slot = 0; row < rows; row++) {
            const int s = row % SETS;
            sync(1 + s, ALL);
            const Pair all = merge_warp(lane < WARPS ? shared.of_warp[s][lane] : empty_pair());
            if (lane == 0) {
                const unsigned epoch = 1 - row / DEPTH % 2;
                send(&messages[row % DEPTH * blocks + blockIdx.x], message_of(all, epoch));
                for (int k = 0; k < PACKS; k++) {
                    request(row + (k + SLOTS) / PACKS, (k + SLOTS) % PACKS, slot);
                    if (++slot == SLOTS) slot = 0;
                }
            }
            arrive(8 + s, ALL);
        }
    }

    // Warp s of SETS. The message of row r + DEPTH goes to the place of row r's message. Before a block
    // sends it, it has the pair of row r + SETS. So the owner block of row r has sent its own pair of
    // row r + SETS, and before that it read all messages of row r. No unread message is overwritten.
    __device__ void merge_rows(int s) const {
        const int lane = threadIdx.x % 32, blocks = gridDim.x;
        unsigned long long* results = messages + DEPTH * blocks;
        for (int row = s; row < rows; row += SETS) {
            const int first = row % DEPTH * blocks;
            const unsigned epoch = 1 - row / DEPTH % 2;
            sync(1 + s, ALL);
            if (row % blocks == blockIdx.x) {  // this is the owner block
                const unsigned long long result =
                    message_of(merge_messages(&messages[first], epoch), epoch);
                for (int b = lane; b < blocks; b += 32) send(&results[first + b], result);
            }
            unsigned long long result;
            do {
                result = load(&results[first + blockIdx.x]);
            } while (result % 2 != epoch);
            __syncwarp();
            if (lane == 0) shared.of_row[s] = pair_of(result);
            arrive(8 + s, ALL);
        }
        for (int k = s + lane * SETS; k < 2 * DEPTH;
             k += 32 * SETS) {  // no block reads these any more
            send(&messages[k * blocks + blockIdx.x], 0);
        }
    }
};

template <int THREADS, int PACKS, int SLOTS, int LAG>
__device__ void softmax_gpu(const float* x, float* y, unsigned long long* messages, int rows,
                            int columns) {
    using Mine = Work<THREADS, PACKS, SLOTS, LAG + 1>;
    extern __shared__ Pack ring[];
    __shared__ typename Mine::Shared shared;
    const int part = (columns / 4 + gridDim.x - 1) / gridDim.x, warp = threadIdx.x / 32;
    const Mine work = {x, y, messages, rows, columns, part, ring, shared};
    if (threadIdx.x == 0) work.begin();
    __syncthreads();  // every mbarrier is initialised
    if (warp < Mine::WARPS) {
        work.compute();
    } else if (warp == Mine::WARPS) {
        work.send_pairs();
    } else {
        work.merge_rows(warp - Mine::WARPS - 1);
    }
}

extern "C" __global__ void __launch_bounds__(512)
    gpu_1m(const float* x, float* y, unsigned long long* messages, int rows, int columns) {
    softmax_gpu<352, 6, 40, 3>(x, y, messages, rows, columns);
}
extern "C" __global__ void __launch_bounds__(768)
    gpu_2m(const float* x, float* y, unsigned long long* messages, int rows, int columns) {
    softmax_gpu<672, 6, 20, 1>(x, y, messages, rows, columns);
}
extern "C" __global__ void __launch_bounds__(576)
    gpu_4m(const float* x, float* y, unsigned long long* messages, int rows, int columns) {
    softmax_gpu<512, 16, 26, 0>(x, y, messages, rows, columns);
}
