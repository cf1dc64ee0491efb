// Softmax of one vector of any length by the whole GPU: what fits on the chip is read once.
//
//   x, y        float[..][n], x only read, y written, equally far from a 16-byte boundary; the
//               vector is their row number `row`
//   pairs       Pair[gridDim.x], all its bits set before the launch, and again after it
//   finished    unsigned int[1], 0 before the launch, and again after it
//   grid        blocks that run at the same time (a cooperative launch), with T threads in all
//   block       THREADS threads; thread t of the grid owns packs t, t + T, t + 2 T ..., BATCH of them
//               at a time
//   shared_mem  16 * THREADS * BATCH * KEPT bytes: the KEPT batches before the last one, which stays
//               in registers. All earlier batches are loaded a second time, from the latest to the
//               earliest: the L2 cache still holds the latest. They are written before all others.
struct alignas(16) Pack {
    float element[4];
};

struct alignas(8) Pair {
    float max, sum;  // the largest x so far, and the sum of exp(x - max)
};

__device__ float exp_fast(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.442695041f));
    return y;
}

__device__ Pair merge(Pair a, Pair b) {
    const float max = fmaxf(a.max, b.max), from = max == -INFINITY ? 0.0f : max;
    return {max, a.sum * exp_fast(a.max - from) + b.sum * exp_fast(b.max - from)};
}

__device__ Pair merge_warp(Pair mine) {
    for (int d = 16; d > 0; d /= 2) {
        mine = merge(mine, {__shfl_xor_sync(~0u, mine.max, d), __shfl_xor_sync(~0u, mine.sum, d)});
    }
    return mine;
}

// A word with all bits set means that there is no pair. PTX does not promise that both floats arrive together. On an H200 they do.
__device__ void publish(Pair* place, Pair pair) {
    asm volatile("st.relaxed.gpu.v2.f32 [%0], {%1, %2};" ::"l"(place), "f"(pair.max), "f"(pair.sum)
                 : "memory");
}
__device__ Pair wait_for(const Pair* place) {  // until it is there
    unsigned long long word;
    do {
        asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(word) : "l"(place) : "memory");
    } while (word == ~0ull);
    return {__uint_as_float(static_cast<unsigned>(word)),
            __uint_as_float(static_cast<unsigned>(word >> 32))};
}

// Returns the pair of the whole grid in every thread; `mine` is the pair of this thread.
__device__ Pair merge_grid(Pair mine, Pair* pairs, unsigned* finished) {
    __shared__ Pair of_warp[32], of_all;
    const int thread = threadIdx.x, lane = thread % 32, warps = blockDim.x / 32;
    mine = merge_warp(mine);
    if (lane == 0) of_warp[thread / 32] = mine;
    __syncthreads();  // warp 0 reads what every warp has written
    if (thread < 32) {
        mine = merge_warp(lane < warps ? of_warp[lane] : Pair{-INFINITY, 0.0f});
        if (lane == 0) publish(&pairs[blockIdx.x], mine);
        Pair all = {-INFINITY, 0.0f};
        for (int b = lane; b < gridDim.x; b += 32) all = merge(all, wait_for(&pairs[b]));
        all = merge_warp(all);
        if (lane == 0) of_all = all;
        unsigned ticket = 0;
        __syncwarp();
        if (lane == 0) {  // after all loads of this warp
            asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 1;"
                         : "=r"(ticket)
                         : "l"(finished)
                         : "memory");
        }
        if (__shfl_sync(~0u, ticket, 0) == gridDim.x - 1) {  // no block reads the pairs any more
            const float unset = __uint_as_float(~0u);
            for (int b = lane; b < gridDim.x; b += 32) publish(&pairs[b], {unset, unset});
            if (lane == 0) *finished = 0;
        }
    }
    __syncthreads();  // every thread reads what warp 0 has found
    return of_all;
}

template <int THREADS, int BATCH, int KEPT>
__device__ void softmax_vector(const float* x, float* y, Pair* pairs, unsigned* finished,
                               size_t n) {
    extern __shared__ Pack kept[];  // batch j of thread t: [(j % KEPT * BATCH + k) * THREADS + t]
    const size_t thread = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    const size_t step = static_cast<size_t>(gridDim.x) * THREADS;
    const size_t before = (0 - reinterpret_cast<size_t>(x) / 4) % 4, head = before < n ? before : n;
    const size_t packs = (n - head) / 4, single = thread < head ? thread : 4 * packs + thread;
    const auto* from = reinterpret_cast<const float4*>(x + head);
    auto* to = reinterpret_cast<float4*>(y + head);
    const long long batches = (packs + BATCH * step - 1) / (BATCH * step);
    Pack batch[BATCH];
    auto load = [&](long long j) {  // all loads in flight together; may leave the caches first
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            const size_t p = (j * BATCH + k) * step + thread;
            for (float& value : batch[k].element) value = -INFINITY;
            if (p < packs) reinterpret_cast<float4&>(batch[k]) = __ldcs(&from[p]);
        }
    };
    const bool has_single = single < n;
    float alone = has_single ? x[single] : -INFINITY;
    Pair mine = {alone, alone == -INFINITY ? 0.0f : exp_fast(alone - alone)};
    const long long twice = batches - 1 - KEPT;  // so many batches are read twice
    for (long long j = 0; j < batches; j++) {
        if (j < twice) {
#pragma unroll
            for (int k = 0; k < BATCH; k++) {  // these may stay in the L2 cache
                batch[k] = *reinterpret_cast<const Pack*>(&from[(j * BATCH + k) * step + thread]);
            }
        } else {
            load(j);
        }
        float largest = mine.max;
        for (auto& pack : batch) {
            for (float value : pack.element) largest = fmaxf(largest, value);
        }
        const float origin = largest == -INFINITY ? 0.0f : largest;
        mine = {largest, mine.sum * exp_fast(mine.max - origin)};  // rescaled once per batch
        for (auto& pack : batch) {
            for (float value : pack.element) mine.sum += exp_fast(value - origin);
        }
        if (j >= twice && j < batches - 1) {
            for (int k = 0; k < BATCH; k++) {
                kept[(j % KEPT * BATCH + k) * THREADS + threadIdx.x] = batch[k];
            }
        }
    }
    const Pair all = merge_grid(mine, pairs, finished);
    const float share = 1.0f / all.sum;
    if (has_single) y[single] = exp_fast(alone - all.max) * share;
    auto write = [&](long long j) {
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            const size_t p = (j * BATCH + k) * step + thread;
            for (float& value : batch[k].element) value = exp_fast(value - all.max) * share;
            if (p < packs) __stcs(&to[p], reinterpret_cast<float4&>(batch[k]));
        }
    };
    if (batches > 0) write(batches - 1);  // still in registers
    for (long long j = twice - 1; j >= 0;
         j--) {  // what the L2 cache holds, before it is overwritten
        load(j);
        write(j);
    }
    for (long long j = twice > 0 ? twice : 0; j < batches - 1; j++) {  // what shared memory holds
        for (int k = 0; k < BATCH; k++) {
            batch[k] = kept[(j % KEPT * BATCH + k) * THREADS + threadIdx.x];
        }
        write(j);
    }
}

extern "C" __global__ void __launch_bounds__(1024)
    one_vector(const float* x, float* y, Pair* pairs, unsigned* finished, size_t n, int row) {
    softmax_vector<1024, 6, 2>(x + row * n, y + row * n, pairs, finished, n);
}
