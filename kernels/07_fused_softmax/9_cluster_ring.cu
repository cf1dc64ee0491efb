// Row softmax, a cluster of BLOCKS blocks, row after row: the copies of the next rows to shared memory
// are in flight while this row is in registers.
//
//   x, y        float[rows][columns], x only read, y written, both at addresses of a float and
//               equally far from a 16-byte boundary; columns: up to 4 * THREADS * PACKS * BLOCKS
//   grid        BLOCKS * as many clusters as the device holds at once; cluster c owns rows c, c +
//               clusters, ...; block b of it owns packs b * part ... of such a row
//   block       THREADS threads; thread t owns every THREADSth pack of its block's part
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
__device__ void arrive(Barrier* barrier) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address(barrier)) : "memory");
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
__device__ void send(Pair* to, Pair pair, Barrier* barrier,
                     int block) {  // to a block of the cluster
    asm volatile(
        "{\n.reg .b32 place, there;\n"
        "mapa.shared::cluster.u32 place, %0, %4;\nmapa.shared::cluster.u32 there, %3, %4;\n"
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [place], {%1, %2}, [there];\n"
        "}" ::"r"(address(to)),
        "f"(pair.max), "f"(pair.sum), "r"(address(barrier)), "r"(block)
        : "memory");
}

__device__ float exp_fast(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.442695041f));
    return y;
}

// Returns the pair of all lanes in every lane. It reduces the maxima first, so each lane needs one exponential.
__device__ Pair merge(const Pair* pairs, int count) {
    Pair all = {-INFINITY, 0.0f};
    for (int w = threadIdx.x % 32; w < count; w += 32) all.max = fmaxf(all.max, pairs[w].max);
    for (int d = 16; d > 0; d /= 2) all.max = fmaxf(all.max, __shfl_xor_sync(~0u, all.max, d));
    const float origin = all.max == -INFINITY ? 0.0f : all.max;
    for (int w = threadIdx.x % 32; w < count; w += 32) {
        all.sum += pairs[w].sum * exp_fast(pairs[w].max - origin);
    }
    for (int d = 16; d > 0; d /= 2) all.sum += __shfl_xor_sync(~0u, all.sum, d);
    return all;
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

template <int THREADS, int PACKS, int SLOTS, int BLOCKS>
__device__ void softmax_ring(const float* x, float* y, int rows, int columns) {
    extern __shared__ Pack ring[];
    static_assert(SLOTS >= PACKS);  // the ring holds at least a row
    constexpr int WARPS = THREADS / 32;
    __shared__ Barrier full[SLOTS], read, received[2];
    __shared__ Pair pairs[2][BLOCKS * WARPS];  // of all warps of the cluster
    const int thread = threadIdx.x, lane = thread % 32, rank = blockIdx.x % BLOCKS;
    const int step = gridDim.x / BLOCKS, part = (columns / 4 + BLOCKS - 1) / BLOCKS;
    auto request = [&](size_t row, int k, int slot) {  // slice k of my part of the row
        if (row >= rows) return;
        const Part of_row(x, row, columns, rank, part);
        const int packs = max(0, min(THREADS, of_row.packs - k * THREADS));
        const float* from = x + of_row.body + 4 * k * THREADS;
        expect(&full[slot], 16 * packs);
        if (packs) fetch(&ring[slot * THREADS], from, 16 * packs, &full[slot]);
    };
    size_t row = blockIdx.x / BLOCKS;
    if (thread == 0) {
        for (int b = 0; b < SLOTS + 2; b++) {
            Barrier* barrier = b < SLOTS ? &full[b] : &received[b - SLOTS];
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(barrier)) : "memory");
        }
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(&read)), "n"(WARPS)
                     : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int q = 0; q < SLOTS; q++) request(row + q / PACKS * step, q % PACKS, q);
    }
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::
                     : "memory");

    int slot = 0, phase = 0;
    for (int iteration = 0; row < rows; row += step, iteration++) {
        const Part of_row(x, row, columns, rank, part);
        const size_t single = row * columns + of_row.single;
        float alone = thread < of_row.singles ? x[single] : -INFINITY;
        Pack kept[PACKS];
        Pair mine = {-INFINITY, 0.0f};
        const int first = slot;
#pragma unroll
        for (int k = 0; k < PACKS; k++) {
            await(&full[slot], phase);
            for (float& value : kept[k].element) value = -INFINITY;
            if (k * THREADS + thread < of_row.packs) kept[k] = ring[slot * THREADS + thread];
            for (float value : kept[k].element) mine.max = fmaxf(mine.max, value);
            slot++;
            if (slot == SLOTS) slot = 0, phase ^= 1;
        }
        mine.max = fmaxf(mine.max, alone);
        for (int d = 16; d > 0; d /= 2) {
            mine.max = fmaxf(mine.max, __shfl_xor_sync(~0u, mine.max, d));
        }
        const float origin = mine.max == -INFINITY ? 0.0f : mine.max;  // the warp's own
        mine.sum = alone = exp_fast(alone - origin);
        for (auto& pack : kept) {
            for (float& value : pack.element) mine.sum += (value = exp_fast(value - origin));
        }
        for (int d = 16; d > 0; d /= 2) mine.sum += __shfl_xor_sync(~0u, mine.sum, d);

        // Two buffers, used alternately: a fast warp may send the pair of the next row before all
        // warps have read the pairs of this row.
        const int odd = iteration % 2;
        if (thread == 0) expect(&received[odd], sizeof(pairs[odd]));
        if (lane < BLOCKS)
            send(&pairs[odd][rank * WARPS + thread / 32], mine, &received[odd], lane);
        if (lane == 0) arrive(&read);  // this warp has read the row from the ring
        if (thread == THREADS - 32) {
            await(&read, odd);
            for (int k = 0, free = first; k < PACKS; k++) {
                request(row + (k + SLOTS) / PACKS * step, (k + SLOTS) % PACKS, free);
                if (++free == SLOTS) free = 0;
            }
        }
        __syncwarp();
        await(&received[odd], iteration / 2 % 2);
        const Pair all = merge(pairs[odd], BLOCKS * WARPS);

        const float share = exp_fast(mine.max - all.max) / all.sum;  // from the warp's maximum
        auto* to = reinterpret_cast<float4*>(y + of_row.body) + thread;
#pragma unroll
        for (int k = 0; k < PACKS; k++) {
            for (float& value : kept[k].element) value *= share;
            if (k * THREADS + thread < of_row.packs) {
                to[k * THREADS] = reinterpret_cast<float4&>(kept[k]);
            }
        }
        if (thread < of_row.singles) y[single] = alone * share;
    }
}

extern "C" __global__ void __launch_bounds__(384) __cluster_dims__(16)
    ring_524288(const float* x, float* y, int rows, int columns) {
    softmax_ring<384, 22, 36, 16>(x, y, rows, columns);
}
