// Softmax of one vector of any length by the whole GPU: what fits on the chip is read once.
//
//   x, y        float[n], x only read, y written, equally far from a 16-byte boundary
//   pairs       Pair[gridDim.x], all its bits set before the launch, and again after it
//   finished    unsigned int[1], 0 before the launch, and 0 again after it
//   grid        blocks that run at the same time (a cooperative launch), up to 160. The vector's
//               chunks, THREADS * PER packs each, are dealt to the blocks like cards.
//   block       THREADS threads that calculate, and a warp that fetches
//   shared_mem  16 * THREADS * PER * SLOTS bytes: the ring; chunk c of a block goes to slot c % SLOTS
//
// There: chunks 0, 1, 2 ...; and back, from the last to the first. The first HELD chunks stay in
// registers from way to way, the last SLOTS are in the ring when the way back begins, and those
// before them are what the L2 cache still holds.
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
__device__ void await(Barrier* barrier, unsigned parity) {  // until all bytes of the phase are there
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

__device__ void arrive(Barrier* barrier) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address(barrier)) : "memory");
}

// The pair of 32 lanes' pairs, in every lane: the maximum first, so that a lane needs one exponential.
__device__ Pair merge_warp(Pair mine) {
    float max = mine.max;
    for (int d = 16; d > 0; d /= 2) max = fmaxf(max, __shfl_xor_sync(~0u, max, d));
    float sum = max == -INFINITY ? mine.sum : mine.sum * exp_fast(mine.max - max);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    return {max, sum};
}

__device__ Pair nothing() {
    return {-INFINITY, 0.0f};
}

__device__ void tell(Pair* place, Pair pair) {
    asm volatile("st.relaxed.gpu.v2.f32 [%0], {%1, %2};" ::"l"(place), "f"(pair.max), "f"(pair.sum)
                 : "memory");
}
// The pair of all blocks' pairs, in every lane, as soon as they are there. Up to 32 * MOST blocks.
__device__ Pair ask(const Pair* of_block) {
    constexpr int MOST = 5;
    unsigned long long words[MOST];
    bool all_there = false;
    while (!all_there) {
        all_there = true;
#pragma unroll
        for (int k = 0; k < MOST; k++) {  // all on the way at once
            const int b = threadIdx.x % 32 + 32 * k;
            words[k] = 0xff800000u;  // {-INFINITY, 0}
            if (b < gridDim.x) {
                asm volatile("ld.relaxed.gpu.u64 %0, [%1];"
                             : "=l"(words[k])
                             : "l"(&of_block[b])
                             : "memory");
            }
        }
        for (auto word : words) all_there &= word != ~0ull;
    }
    Pair all = {-INFINITY, 0.0f};
    for (auto word : words) all.max = fmaxf(all.max, __uint_as_float(static_cast<unsigned>(word)));
    const float origin = all.max == -INFINITY ? 0.0f : all.max;
    for (auto word : words) {
        const float max = __uint_as_float(static_cast<unsigned>(word));
        all.sum += __uint_as_float(static_cast<unsigned>(word >> 32)) * exp_fast(max - origin);
    }
    return merge_warp(all);
}

// In every thread that calculates: the pair of all threads of all blocks, from what each has found.
template <int THREADS>
__device__ Pair merge_grid(Pair mine, Pair* pairs, unsigned* finished) {
    __shared__ Pair of_warp[THREADS / 32], of_all;
    const int thread = threadIdx.x, lane = thread % 32;
    mine = merge_warp(mine);
    if (lane == 0) of_warp[thread / 32] = mine;
    asm volatile("bar.sync 1, %0;" ::"n"(THREADS) : "memory");  // warp 0 reads what all have written
    if (thread < 32) {
        mine = merge_warp(lane < THREADS / 32 ? of_warp[lane] : nothing());
        if (lane == 0) tell(&pairs[blockIdx.x], mine);
        const Pair all = ask(pairs);
        if (lane == 0) of_all = all;
        unsigned ticket = 0;
        if (lane == 0) {  // after all that this warp has asked
            asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 1;"
                         : "=r"(ticket)
                         : "l"(finished)
                         : "memory");
        }
        if (__shfl_sync(~0u, ticket, 0) == gridDim.x - 1) {  // nobody asks any more
            const float unset = __uint_as_float(~0u);
            for (int b = lane; b < gridDim.x; b += 32) tell(&pairs[b], {unset, unset});
            if (lane == 0) *finished = 0;
        }
    }
    asm volatile("bar.sync 1, %0;" ::"n"(THREADS) : "memory");  // all read what warp 0 has found
    return of_all;
}

template <int THREADS, int PER, int SLOTS, int HELD>
__device__ void softmax_vector(const float* x, float* y, Pair* pairs, unsigned* finished, size_t n) {
    constexpr int CHUNK = THREADS * PER;  // packs
    extern __shared__ Pack ring[];
    __shared__ Barrier full[SLOTS], read[SLOTS];
    const int thread = threadIdx.x;
    const size_t before = (0 - reinterpret_cast<size_t>(x) / 4) % 4, head = before < n ? before : n;
    const size_t packs = (n - head) / 4;
    const int chunks = (packs + gridDim.x * CHUNK - 1) / (gridDim.x * CHUNK);
    auto first_of = [&](int c) {
        return (static_cast<size_t>(c) * gridDim.x + blockIdx.x) * CHUNK;
    };
    if (thread == 0) {
        for (int s = 0; s < SLOTS; s++) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&full[s])) : "memory");
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(&read[s])),
                         "n"(THREADS / 32)
                         : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();  // all may wait at the barriers
    unsigned phases = 0;  // bit s: the parity of the next phase of slot s that is waited for
    if (thread >= THREADS) {
        if (thread > THREADS) return;
        auto ask_for = [&](int c) {
            const size_t first = first_of(c), left = first < packs ? packs - first : 0;
            const unsigned bytes = 16 * (left < CHUNK ? left : CHUNK);
            Barrier* barrier = &full[c % SLOTS];
            expect(barrier, bytes);
            if (bytes) fetch(&ring[c % SLOTS * CHUNK], x + head + 4 * first, bytes, barrier);
        };
        auto await_read = [&](int s) {
            await(&read[s], phases >> s & 1);
            phases ^= 1u << s;
        };
        for (int c = 0; c < chunks; c++) {
            if (c >= SLOTS) await_read(c % SLOTS);
            ask_for(c);
        }
        for (int c = chunks - 1; c >= HELD + SLOTS; c--) {
            await_read(c % SLOTS);
            ask_for(c - SLOTS);
        }
        return;
    }
    auto take = [&](int c, Pack* batch, bool waiting, bool free) {  // chunk c, from the ring
        const int s = c % SLOTS;
        if (waiting) {
            await(&full[s], phases >> s & 1);
            phases ^= 1u << s;
        }
        const size_t first = first_of(c);
#pragma unroll
        for (int k = 0; k < PER; k++) {
            for (float& value : batch[k].element) value = -INFINITY;
            const int p = k * THREADS + thread;
            if (first + p < packs) batch[k] = ring[s * CHUNK + p];
        }
        __syncwarp();
        if (free && thread % 32 == 0) arrive(&read[s]);
    };
    const size_t number = static_cast<size_t>(blockIdx.x) * THREADS + thread;  // in the grid
    const size_t single = number < head ? number : 4 * packs + number;
    const bool has_single = single < n;
    float alone = has_single ? x[single] : -INFINITY;
    Pair mine = {alone, alone == -INFINITY ? 0.0f : exp_fast(alone - alone)};
    auto add = [&](const Pack* batch) {
        float largest = mine.max;
        for (int k = 0; k < PER; k++) {
            for (float value : batch[k].element) largest = fmaxf(largest, value);
        }
        const float origin = largest == -INFINITY ? 0.0f : largest;
        mine = {largest, mine.sum * exp_fast(mine.max - origin)};  // rescaled once for all of them
        for (int k = 0; k < PER; k++) {
            for (float value : batch[k].element) mine.sum += exp_fast(value - origin);
        }
    };
    Pack held[HELD][PER], batch[PER];
#pragma unroll
    for (int c = 0; c < HELD; c++) {
        if (c < chunks) {
            take(c, held[c], true, c + SLOTS < chunks);
            add(held[c]);
        }
    }
    for (int c = HELD; c < chunks; c++) {
        take(c, batch, true, c + SLOTS < chunks);
        add(batch);
    }
    const Pair all = merge_grid<THREADS>(mine, pairs, finished);
    const float share = 1.0f / all.sum;
    auto* to = reinterpret_cast<float4*>(y + head);
    auto put = [&](int c, Pack* batch) {
        const size_t first = first_of(c) + thread;
#pragma unroll
        for (int k = 0; k < PER; k++) {
            for (float& value : batch[k].element) value = exp_fast(value - all.max) * share;
            if (first + k * THREADS < packs) {
                __stcs(&to[first + k * THREADS], reinterpret_cast<float4&>(batch[k]));
            }
        }
    };
    if (has_single) y[single] = exp_fast(alone - all.max) * share;
    for (int c = chunks - 1; c >= HELD; c--) {
        take(c, batch, c < chunks - SLOTS, c >= HELD + SLOTS);
        put(c, batch);
    }
#pragma unroll
    for (int c = 0; c < HELD; c++) {
        if (c < chunks) put(c, held[c]);
    }
}

extern "C" __global__ void __launch_bounds__(544)
    one_vector(const float* x, float* y, Pair* pairs, unsigned* finished, size_t n) {
    softmax_vector<512, 2, 13, 8>(x, y, pairs, finished, n);
}
