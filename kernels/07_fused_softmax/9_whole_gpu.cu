// Row softmax, the whole GPU for one row after another: each block keeps its part in registers, and
// sends its pair to the block that answers for this row, LAG rows before it needs the answer.
//
//   x, y        float[rows][columns], x only read, y written, both at addresses of a float and
//               equally far from a 16-byte boundary; columns: up to 4 * THREADS * PACKS * gridDim.x
//   mail        unsigned long long[2][2 * LAG + 2][gridDim.x], 0 before the launch, and again after
//               it: for each row on its way, a letter from every block and an answer to it
//   grid        blocks that run at the same time (a cooperative launch), 160 at most; block b owns
//               packs b * part ... of every row
//   block       THREADS threads that calculate, a warp that writes letters, LAG + 1 that wait for
//               answers
//   shared_mem  16 * THREADS * SLOTS bytes: the ring, in slots of a pack for each thread
struct alignas(16) Pack {
    float element[4];
};

struct alignas(8) Pair {
    float max, sum;  // the largest x so far, and the sum of exp(x - max)
};

__device__ Pair nothing() {
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

constexpr int MOST = 5;  // pairs that a lane gathers: up to 160 blocks

// Named barriers: some warps arrive and go on, others wait for them; `threads` counts both.
__device__ void arrive(int barrier, int threads) {
    __syncwarp();
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ void meet(int barrier, int threads) {
    __syncwarp();
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// A letter is a pair and, in the lowest bit of the sum, the turn it is of: who sees it sees all of it,
// so that no fence is needed, nor a counter that all would look at.
__device__ unsigned long long letter_of(Pair pair, unsigned turn) {
    const unsigned long long max = __float_as_uint(pair.max);
    return max << 32 | __float_as_uint(pair.sum) & ~1u | turn;
}
__device__ void send(unsigned long long* to, unsigned long long letter) {
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(to), "l"(letter) : "memory");
}
__device__ unsigned long long look(const unsigned long long* from) {
    unsigned long long letter;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(letter) : "l"(from) : "memory");
    return letter;
}
__device__ Pair pair_of(unsigned long long letter) {
    return {__uint_as_float(static_cast<unsigned>(letter >> 32)),
            __uint_as_float(static_cast<unsigned>(letter))};
}

// In every lane, what all blocks' letters of this row come to.
__device__ Pair merge_letters(const unsigned long long* letters, unsigned turn) {
    const int lane = threadIdx.x % 32, blocks = gridDim.x;
    unsigned long long letter[MOST];
    for (bool waiting = true; __any_sync(~0u, waiting);) {
        waiting = false;
#pragma unroll
        for (int k = 0; k < MOST; k++) {  // all on the way at once
            const int b = lane + 32 * k;
            letter[k] = b < blocks ? look(&letters[b]) : letter_of(nothing(), turn);
        }
        for (auto word : letter) waiting |= word % 2 != turn;
    }
    Pair all = nothing();
    for (auto word : letter) all.max = fmaxf(all.max, pair_of(word).max);
    const float origin = all.max == -INFINITY ? 0.0f : all.max;
    for (auto word : letter) all.sum += pair_of(word).sum * exp_fast(pair_of(word).max - origin);
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

// A block's work on all rows. Warps that calculate and the others leave each other pairs on desks, one
// for each of SETS rows in turn: barrier 1 + s when all warps' pairs lie on desk s, 8 + s when the row's
// pair does and the others' are read.
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
    unsigned long long* mail;
    int rows, columns, part;
    Pack* ring;
    Shared& desks;

    __device__ Part part_of(int row) const {
        return Part(x, row, columns, blockIdx.x, part);
    }

    __device__ void ask_for(int row, int k, int slot) const {  // slice k of my part of the row
        if (row >= rows) return;
        const Part mine = part_of(row);
        const int packs = max(0, min(THREADS, mine.packs - k * THREADS));
        expect(&desks.full[slot], 16 * packs);
        if (packs == 0) return;
        fetch(&ring[slot * THREADS], x + mine.body + 4 * k * THREADS, 16 * packs,
              &desks.full[slot]);
    }

    __device__ void begin() const {  // one thread, before anybody waits
        for (auto& barrier : desks.full) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&barrier)) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int q = 0; q < SLOTS; q++) ask_for(q / PACKS, q % PACKS, q);
    }

    __device__ void calculate() const {
        const int thread = threadIdx.x;
        Pack kept[SETS][PACKS];
        float alone[SETS], of_mine[SETS];  // a single element; the maximum of my warp
        int slot = 0, phase = 0;
        for (int first = 0; first < rows + SETS; first += SETS) {
#pragma unroll
            for (int s = 0; s < SETS; s++) {
                const int row = first + s, old = row - SETS;
                if (old >= 0 && old < rows) {
                    meet(8 + s, ALL);
                    const Pair all = desks.of_row[s];
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
                Pair mine = nothing();
#pragma unroll
                for (int k = 0; k < PACKS; k++) {
                    await(&desks.full[slot], phase);
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
                if (thread % 32 == 0) desks.of_warp[s][thread / 32] = mine;
                arrive(1 + s, ALL);  // and the ring is read
            }
        }
    }

    __device__ void write_letters() const {  // one warp, which asks for more of x as well
        const int lane = threadIdx.x % 32, blocks = gridDim.x;
        for (int row = 0, slot = 0; row < rows; row++) {
            const int s = row % SETS;
            meet(1 + s, ALL);
            const Pair all = merge_warp(lane < WARPS ? desks.of_warp[s][lane] : nothing());
            if (lane == 0) {
                const unsigned turn = 1 - row / DEPTH % 2;
                send(&mail[row % DEPTH * blocks + blockIdx.x], letter_of(all, turn));
                for (int k = 0; k < PACKS; k++) {
                    ask_for(row + (k + SLOTS) / PACKS, (k + SLOTS) % PACKS, slot);
                    if (++slot == SLOTS) slot = 0;
                }
            }
            arrive(8 + s, ALL);
        }
    }

    // Warp s of SETS. Whoever writes again where a letter lay, DEPTH rows later, has calculated with an
    // answer to one that was written after the first was read.
    __device__ void answer_letters(int s) const {
        const int lane = threadIdx.x % 32, blocks = gridDim.x;
        unsigned long long* answers = mail + DEPTH * blocks;
        for (int row = s; row < rows; row += SETS) {
            const int first = row % DEPTH * blocks;
            const unsigned turn = 1 - row / DEPTH % 2;
            meet(1 + s, ALL);
            if (row % blocks == blockIdx.x) {  // this block answers
                const unsigned long long answer =
                    letter_of(merge_letters(&mail[first], turn), turn);
                for (int b = lane; b < blocks; b += 32) send(&answers[first + b], answer);
            }
            unsigned long long answer;
            do {
                answer = look(&answers[first + blockIdx.x]);
            } while (answer % 2 != turn);
            __syncwarp();
            if (lane == 0) desks.of_row[s] = pair_of(answer);
            arrive(8 + s, ALL);
        }
        for (int k = s + lane * SETS; k < 2 * DEPTH; k += 32 * SETS) {  // nobody looks any more
            send(&mail[k * blocks + blockIdx.x], 0);
        }
    }
};

template <int THREADS, int PACKS, int SLOTS, int LAG>
__device__ void softmax_gpu(const float* x, float* y, unsigned long long* mail, int rows,
                            int columns) {
    using Mine = Work<THREADS, PACKS, SLOTS, LAG + 1>;
    extern __shared__ Pack ring[];
    __shared__ typename Mine::Shared desks;
    const int part = (columns / 4 + gridDim.x - 1) / gridDim.x, warp = threadIdx.x / 32;
    const Mine work = {x, y, mail, rows, columns, part, ring, desks};
    if (threadIdx.x == 0) work.begin();
    __syncthreads();  // all may wait at the barriers
    if (warp < Mine::WARPS) {
        work.calculate();
    } else if (warp == Mine::WARPS) {
        work.write_letters();
    } else {
        work.answer_letters(warp - Mine::WARPS - 1);
    }
}

extern "C" __global__ void __launch_bounds__(512)
    gpu_1m(const float* x, float* y, unsigned long long* mail, int rows, int columns) {
    softmax_gpu<352, 6, 40, 3>(x, y, mail, rows, columns);
}
extern "C" __global__ void __launch_bounds__(768)
    gpu_2m(const float* x, float* y, unsigned long long* mail, int rows, int columns) {
    softmax_gpu<672, 6, 20, 1>(x, y, mail, rows, columns);
}
extern "C" __global__ void __launch_bounds__(576)
    gpu_4m(const float* x, float* y, unsigned long long* mail, int rows, int columns) {
    softmax_gpu<512, 16, 26, 0>(x, y, mail, rows, columns);
}
