// Row softmax, a cluster of BLOCKS blocks a row, which is kept in registers; the warps meet by messages.
//
//   x, y   T[rows][columns], x only read, y written, both at addresses of a T and equally far from a
//          16-byte boundary; columns: any number up to 16 / sizeof(T) * THREADS * PACKS * BLOCKS
//   grid   rows * BLOCKS: blocks BLOCKS * r ... own row r
//   block  THREADS threads; block b of the cluster owns packs b * part ... of the row, thread t of
//          it every THREADSth of them
//
// A row may begin anywhere. Its packs begin on 16-byte boundaries; what lies before the first and
// after the last, less than two packs, are single elements of the first block's first threads.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename T>
struct alignas(16) Pack {  // 16 bytes that are loaded and stored as one
    static constexpr int N = 16 / sizeof(T);
    T element[N];
};

// exp(x), what is below the smallest normal number as 0: an instruction less than __expf, or three.
__device__ float exp_fast(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.442695041f));
    return y;
}

struct alignas(8) Pair {
    float max, sum;  // the largest x so far, and the sum of exp(x - max)
};

__device__ unsigned address(const void* shared) {
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

// Where the warps of a row meet: each leaves its pair with every block of the cluster, and a block
// waits until so many bytes have come. No fence, and no barrier of the cluster, is in the way.
template <int BLOCKS, int WARPS>
struct Meeting {
    Pair pairs[BLOCKS * WARPS];
    unsigned long long come;  // an mbarrier

    __device__ void open() {  // before anybody may leave anything
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&come)) : "memory");
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address(&come)),
                         "n"(sizeof(pairs))
                         : "memory");
        }
        asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    }

    __device__ void leave(Pair mine) {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        asm volatile("barrier.cluster.wait.aligned;" ::: "memory");  // all blocks have opened
        if (lane >= BLOCKS) return;
        Pair* place = &pairs[blockIdx.x % BLOCKS * WARPS + warp];
        asm volatile(
            "{\n.reg .b32 place, there;\n"
            "mapa.shared::cluster.u32 place, %0, %4;\nmapa.shared::cluster.u32 there, %3, %4;\n"
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [place], {%1, %2}, "
            "[there];\n}" ::"r"(address(place)),
            "f"(mine.max), "f"(mine.sum), "r"(address(&come)), "r"(lane)
            : "memory");
    }

    __device__ Pair wait() const {
        for (unsigned there = 0; !there;) {
            asm volatile(
                "{\n.reg .pred p;\n"
                "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;\n"
                "selp.u32 %0, 1, 0, p;\n}"
                : "=r"(there)
                : "r"(address(&come))
                : "memory");
        }
        const int lane = threadIdx.x % 32;
        Pair all = {-INFINITY, 0.0f};  // the maximum first: one exponential for each pair
        for (int w = lane; w < BLOCKS * WARPS; w += 32) all.max = fmaxf(all.max, pairs[w].max);
        for (int d = 16; d > 0; d /= 2) all.max = fmaxf(all.max, __shfl_xor_sync(~0u, all.max, d));
        const float origin = all.max == -INFINITY ? 0.0f : all.max;
        for (int w = lane; w < BLOCKS * WARPS; w += 32) {
            all.sum += pairs[w].sum * exp_fast(pairs[w].max - origin);
        }
        for (int d = 16; d > 0; d /= 2) all.sum += __shfl_xor_sync(~0u, all.sum, d);
        return all;
    }
};

template <typename T, int THREADS, int PACKS, int BLOCKS>
__device__ void softmax_row(const T* x, T* y, int columns) {
    constexpr int N = Pack<T>::N;
    __shared__ Meeting<BLOCKS, THREADS / 32> meeting;
    meeting.open();
    const size_t start = static_cast<size_t>(blockIdx.x / BLOCKS) * columns;
    const int rank = blockIdx.x % BLOCKS, thread = threadIdx.x;
    const int before = -(reinterpret_cast<size_t>(x + start) / sizeof(T)) % N;  // the first pack
    const int head = min(before, columns), whole = (columns - head) / N;
    const int part = (whole + BLOCKS - 1) / BLOCKS, packs = min(part, whole - rank * part);
    const int single =
        thread < head ? thread : N * whole + thread;  // where it lies, if there is one
    const bool has_single = rank == 0 && thread < columns - N * whole;
    const size_t body = start + head + static_cast<size_t>(rank) * part * N;

    const auto* from = reinterpret_cast<const Pack<T>*>(x + body);
    Pack<T> batch[PACKS];
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        if (k * THREADS + thread < packs) {
            batch[k] = from[k * THREADS + thread];
        } else {
            for (T& value : batch[k].element) value = static_cast<T>(-INFINITY);
        }
    }
    float alone = has_single ? static_cast<float>(x[start + single]) : -INFINITY;

    float kept[PACKS][N];
    Pair mine = {alone, 0.0f};
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        for (int i = 0; i < N; i++) {
            kept[k][i] = static_cast<float>(batch[k].element[i]);
            mine.max = fmaxf(mine.max, kept[k][i]);
        }
    }
    for (int d = 16; d > 0; d /= 2) mine.max = fmaxf(mine.max, __shfl_xor_sync(~0u, mine.max, d));
    const float origin = mine.max == -INFINITY ? 0.0f : mine.max;  // the warp's own
    mine.sum = alone = exp_fast(alone - origin);
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        for (float& value : kept[k]) mine.sum += (value = exp_fast(value - origin));
    }
    for (int d = 16; d > 0; d /= 2) mine.sum += __shfl_xor_sync(~0u, mine.sum, d);
    meeting.leave(mine);
    const Pair all = meeting.wait();

    const float share = exp_fast(mine.max - all.max) / all.sum;  // from the warp's maximum
    auto* to = reinterpret_cast<Pack<T>*>(y + body);
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        for (int i = 0; i < N; i++) batch[k].element[i] = static_cast<T>(kept[k][i] * share);
        if (k * THREADS + thread < packs) to[k * THREADS + thread] = batch[k];
    }
    if (has_single) y[start + single] = static_cast<T>(alone * share);
}

extern "C" __global__ void __launch_bounds__(512) __cluster_dims__(2)
    few_32768(const float* x, float* y, int columns) {
    softmax_row<float, 512, 8, 2>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(128) __cluster_dims__(8)
    few_65536(const float* x, float* y, int columns) {
    softmax_row<float, 128, 16, 8>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(128) __cluster_dims__(8)
    odd_53248(const float* x, float* y, int columns) {
    softmax_row<float, 128, 13, 8>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(1024) __cluster_dims__(2)
    cluster_65536(const float* x, float* y, int columns) {
    softmax_row<float, 1024, 8, 2>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(512) __cluster_dims__(8)
    cluster_131072(const float* x, float* y, int columns) {
    softmax_row<float, 512, 8, 8>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(512) __cluster_dims__(4)
    half_65536(const __half* x, __half* y, int columns) {
    softmax_row<__half, 512, 4, 4>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(512) __cluster_dims__(16)
    half_262144(const __half* x, __half* y, int columns) {
    softmax_row<__half, 512, 4, 16>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(512) __cluster_dims__(4)
    bfloat_65536(const __nv_bfloat16* x, __nv_bfloat16* y, int columns) {
    softmax_row<__nv_bfloat16, 512, 4, 4>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(512) __cluster_dims__(16)
    bfloat_262144(const __nv_bfloat16* x, __nv_bfloat16* y, int columns) {
    softmax_row<__nv_bfloat16, 512, 4, 16>(x, y, columns);
}
