// Row softmax of halves, a cluster of BLOCKS blocks per row. The row stays in registers as halves, in
// half as many registers as floats, so more blocks are resident. Each exponential is computed twice.
//
//   x, y   T[rows][columns], x only read, y written, equally far from a 16-byte boundary, at addresses
//          of a T (__half, __nv_bfloat16); columns: up to 8 * THREADS * PACKS * BLOCKS
//   grid   rows * BLOCKS: blocks BLOCKS * r ... own row r
//   block  THREADS threads; block b of the cluster owns packs b * part ..., a thread each THREADSth
//
// A row may begin anywhere. Its packs begin on 16-byte boundaries; what lies before the first and
// after the last, less than two packs, are single elements of the first block's first threads.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Halves are compared and converted two at a time.
__device__ float2 floats(__half2 two) {
    return __half22float2(two);
}
__device__ float2 floats(__nv_bfloat162 two) {
    return __bfloat1622float2(two);
}
__device__ void set(__half2& two, float a, float b) {
    two = __floats2half2_rn(a, b);
}
__device__ void set(__nv_bfloat162& two, float a, float b) {
    two = __floats2bfloat162_rn(a, b);
}
template <typename Two>
struct alignas(16) Pack {  // 16 bytes
    Two two[4];
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

// Each warp sends its pair to every block, which waits for the bytes of all pairs. The barrier of the
// cluster only says that each mbarrier is initialised (`.relaxed`); the wait acquires from its block.
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

template <typename T, typename Two, int THREADS, int PACKS, int BLOCKS>
__device__ void softmax_row(const T* x, T* y, int columns) {
    constexpr int N = 8;
    __shared__ PairExchange<BLOCKS, THREADS / 32> exchange;
    exchange.init();
    const size_t start = static_cast<size_t>(blockIdx.x / BLOCKS) * columns;
    const int rank = blockIdx.x % BLOCKS, thread = threadIdx.x;
    const int before = -(reinterpret_cast<size_t>(x + start) / 2) % N;  // the first pack
    const int head = min(before, columns), whole = (columns - head) / N;
    const int part = (whole + BLOCKS - 1) / BLOCKS, packs = min(part, whole - rank * part);
    const int single = thread < head ? thread : N * whole + thread;  // if there is one
    const bool has_single = rank == 0 && thread < columns - N * whole;
    const size_t body = start + head + static_cast<size_t>(rank) * part * N;

    const auto* from = reinterpret_cast<const uint4*>(x + body) + thread;
    Pack<Two> kept[PACKS];
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        for (Two& two : kept[k].two) set(two, -INFINITY, -INFINITY);
        if (k * THREADS + thread < packs) reinterpret_cast<uint4&>(kept[k]) = from[k * THREADS];
    }
    const float alone = has_single ? static_cast<float>(x[start + single]) : -INFINITY;

    Two largest = kept[0].two[0];
#pragma unroll
    for (auto& pack : kept) {
        for (Two two : pack.two) largest = __hmax2(largest, two);
    }
    Pair mine = {fmaxf(fmaxf(floats(largest).x, floats(largest).y), alone), 0.0f};
    for (int d = 16; d > 0; d /= 2) mine.max = fmaxf(mine.max, __shfl_xor_sync(~0u, mine.max, d));
    mine.max *= LOG2E;  // the warp's own
    auto raised = [](float value, float origin) { return exp2_fast(fmaf(value, LOG2E, -origin)); };
    mine.sum = raised(alone, mine.origin());
#pragma unroll
    for (auto& pack : kept) {
        for (Two two : pack.two) {
            mine.sum += raised(floats(two).x, mine.origin());
            mine.sum += raised(floats(two).y, mine.origin());
        }
    }
    for (int d = 16; d > 0; d /= 2) mine.sum += __shfl_xor_sync(~0u, mine.sum, d);
    exchange.send(mine);
    const Pair all = exchange.receive();

    const float origin = all.origin(), share = 1.0f / all.sum;
    auto* to = reinterpret_cast<uint4*>(y + body) + thread;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        for (Two& two : kept[k].two) {
            const float2 value = floats(two);
            set(two, raised(value.x, origin) * share, raised(value.y, origin) * share);
        }
        if (k * THREADS + thread < packs) to[k * THREADS] = reinterpret_cast<uint4&>(kept[k]);
    }
    if (has_single) y[start + single] = static_cast<T>(raised(alone, origin) * share);
}

extern "C" __global__ void __launch_bounds__(256, 3) __cluster_dims__(2)
    half_32768(const __half* x, __half* y, int columns) {
    softmax_row<__half, __half2, 256, 8, 2>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(512, 3) __cluster_dims__(4)
    half_65536(const __half* x, __half* y, int columns) {
    softmax_row<__half, __half2, 512, 4, 4>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(512, 2) __cluster_dims__(4)
    half_131072(const __half* x, __half* y, int columns) {
    softmax_row<__half, __half2, 512, 8, 4>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(512, 2) __cluster_dims__(8)
    half_262144(const __half* x, __half* y, int columns) {
    softmax_row<__half, __half2, 512, 8, 8>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(256, 3) __cluster_dims__(2)
    bfloat_32768(const __nv_bfloat16* x, __nv_bfloat16* y, int columns) {
    softmax_row<__nv_bfloat16, __nv_bfloat162, 256, 8, 2>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(512, 3) __cluster_dims__(4)
    bfloat_65536(const __nv_bfloat16* x, __nv_bfloat16* y, int columns) {
    softmax_row<__nv_bfloat16, __nv_bfloat162, 512, 4, 4>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(512, 2) __cluster_dims__(4)
    bfloat_131072(const __nv_bfloat16* x, __nv_bfloat16* y, int columns) {
    softmax_row<__nv_bfloat16, __nv_bfloat162, 512, 8, 4>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(512, 2) __cluster_dims__(8)
    bfloat_262144(const __nv_bfloat16* x, __nv_bfloat16* y, int columns) {
    softmax_row<__nv_bfloat16, __nv_bfloat162, 512, 8, 8>(x, y, columns);
}
