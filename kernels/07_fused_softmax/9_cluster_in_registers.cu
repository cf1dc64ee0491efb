// Row softmax, one cluster of BLOCKS blocks per row, in registers; warps exchange pairs by messages.
//
//   x, y   float[rows][columns], x only read, y written, both at addresses of a float and equally far
//          from a 16-byte boundary; columns: any number up to 4 * THREADS * PACKS * BLOCKS
//   grid   rows * BLOCKS: blocks BLOCKS * r ... own row r
//   block  THREADS threads; block b of the cluster owns packs b * part ... of the row; its thread t
//          owns packs t, t + THREADS, t + 2 * THREADS ... of these
//
// A row may begin anywhere. Its packs begin on 16-byte boundaries. The elements before the first and
// after the last pack (fewer than two packs) are single: one for each of the first threads of block 0.
struct alignas(16) Pack {
    float element[4];
};

// Returns 2 to the x, or 0 if that is below the smallest normal number. exp(x) is 2 to the (x * log2(e)).
__device__ float exp2_fast(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
constexpr float LOG2E = 1.442695041f;

struct alignas(8) Pair {
    float max, sum;  // the largest x so far, times log2(e), and the sum of exp(x) / 2 to the max
    __device__ float origin() const {
        return max == -INFINITY ? 0.0f : max;
    }
};

__device__ unsigned address(const void* shared) {
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

// The exchange of pairs in a cluster: each warp sends its pair to every block. Each block waits until
// the bytes of all pairs have arrived. The barrier of the cluster only says that every mbarrier is
// initialised, so it is `.relaxed`. The wait acquires from its own block only (`.cta`).
template <int BLOCKS, int WARPS>
struct PairExchange {
    Pair pairs[BLOCKS * WARPS];
    unsigned long long arrived;  // an mbarrier

    __device__ void init() {  // before any block may send
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&arrived)) : "memory");
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
            asm volatile(
                "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address(&arrived)),
                "n"(sizeof(pairs))
                : "memory");
        }
        asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    }

    __device__ void send(Pair mine) {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        asm volatile("barrier.cluster.wait.aligned;" ::
                         : "memory");  // every mbarrier is initialised
        if (lane >= BLOCKS) return;
        Pair* place = &pairs[blockIdx.x % BLOCKS * WARPS + warp];
        asm volatile(
            "{\n.reg .b32 place, there;\n"
            "mapa.shared::cluster.u32 place, %0, %4;\nmapa.shared::cluster.u32 there, %3, %4;\n"
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [place], {%1, %2}, "
            "[there];\n}" ::"r"(address(place)),
            "f"(mine.max), "f"(mine.sum), "r"(address(&arrived)), "r"(lane)
            : "memory");
    }

    __device__ Pair receive() const {
        for (unsigned there = 0; !there;) {
            asm volatile(
                "{\n.reg .pred p;\n"
                "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
                "selp.u32 %0, 1, 0, p;\n}"
                : "=r"(there)
                : "r"(address(&arrived))
                : "memory");
        }
        const int lane = threadIdx.x % 32;
        Pair all = {-INFINITY, 0.0f};  // the maximum first: one exponential for each pair
        for (int w = lane; w < BLOCKS * WARPS; w += 32) all.max = fmaxf(all.max, pairs[w].max);
        for (int d = 16; d > 0; d /= 2) all.max = fmaxf(all.max, __shfl_xor_sync(~0u, all.max, d));
        for (int w = lane; w < BLOCKS * WARPS; w += 32) {
            all.sum += pairs[w].sum * exp2_fast(pairs[w].max - all.origin());
        }
        for (int d = 16; d > 0; d /= 2) all.sum += __shfl_xor_sync(~0u, all.sum, d);
        return all;
    }
};

template <int THREADS, int PACKS, int BLOCKS>
__device__ void softmax_row(const float* x, float* y, int columns) {
    __shared__ PairExchange<BLOCKS, THREADS / 32> exchange;
    exchange.init();
    const size_t start = static_cast<size_t>(blockIdx.x / BLOCKS) * columns;
    const int rank = blockIdx.x % BLOCKS, thread = threadIdx.x;
    const int before = -(reinterpret_cast<size_t>(x + start) / 4) % 4;  // the first pack
    const int head = min(before, columns), whole = (columns - head) / 4;
    const int part = (whole + BLOCKS - 1) / BLOCKS, packs = min(part, whole - rank * part);
    const int single =
        thread < head ? thread : 4 * whole + thread;  // where it lies, if there is one
    const bool has_single = rank == 0 && thread < columns - 4 * whole;
    const size_t body = start + head + 4 * static_cast<size_t>(rank) * part;

    const auto* from = reinterpret_cast<const Pack*>(x + body) + thread;
    Pack kept[PACKS];
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        for (float& value : kept[k].element) value = -INFINITY;
        if (k * THREADS + thread < packs) kept[k] = from[k * THREADS];
    }
    float alone = has_single ? x[start + single] : -INFINITY;

    Pair mine = {alone, 0.0f};
    for (auto& pack : kept) {
        for (float value : pack.element) mine.max = fmaxf(mine.max, value);
    }
    for (int d = 16; d > 0; d /= 2) mine.max = fmaxf(mine.max, __shfl_xor_sync(~0u, mine.max, d));
    mine.max *= LOG2E;  // the warp's own
    const float origin = mine.origin();
    mine.sum = alone = exp2_fast(fmaf(alone, LOG2E, -origin));
    for (auto& pack : kept) {
        for (float& value : pack.element) {
            mine.sum += (value = exp2_fast(fmaf(value, LOG2E, -origin)));
        }
    }
    for (int d = 16; d > 0; d /= 2) mine.sum += __shfl_xor_sync(~0u, mine.sum, d);
    exchange.send(mine);
    const Pair all = exchange.receive();

    const float share = exp2_fast(mine.max - all.max) / all.sum;  // from the warp's maximum
    auto* to = reinterpret_cast<Pack*>(y + body) + thread;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        for (float& value : kept[k].element) value *= share;
        if (k * THREADS + thread < packs) to[k * THREADS] = kept[k];
    }
    if (has_single) y[start + single] = alone * share;
}

extern "C" __global__ void __launch_bounds__(128) __cluster_dims__(8)
    few_32768(const float* x, float* y, int columns) {
    softmax_row<128, 8, 8>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(128) __cluster_dims__(16)
    few_65536(const float* x, float* y, int columns) {
    softmax_row<128, 8, 16>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(256) __cluster_dims__(16)
    few_131072(const float* x, float* y, int columns) {
    softmax_row<256, 8, 16>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(128) __cluster_dims__(16)
    odd_57344(const float* x, float* y, int columns) {
    softmax_row<128, 7, 16>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(512) __cluster_dims__(4)
    cluster_32768(const float* x, float* y, int columns) {
    softmax_row<512, 4, 4>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(1024) __cluster_dims__(2)
    cluster_65536(const float* x, float* y, int columns) {
    softmax_row<1024, 8, 2>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(512) __cluster_dims__(8)
    cluster_131072(const float* x, float* y, int columns) {
    softmax_row<512, 8, 8>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(256) __cluster_dims__(16)
    cluster_262144(const float* x, float* y, int columns) {
    softmax_row<256, 16, 16>(x, y, columns);
}
