// Row softmax, one block per row, which is kept in registers.
//
//   x, y   T[rows][columns], x only read, y written, both at addresses of a T and equally far from a
//          16-byte boundary; columns: any number up to 16 / sizeof(T) * THREADS * PACKS
//   grid   one block per row
//   block  THREADS threads; thread t owns every THREADSth pack, from pack t on
//
// A row may begin anywhere. Its packs begin on 16-byte boundaries. The elements before the first and
// after the last pack (fewer than two packs) are single: each of the first threads takes one of them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename T>
struct alignas(16) Pack {  // 16 bytes that are loaded and stored as one
    static constexpr int N = 16 / sizeof(T);
    T element[N];
};

// Returns exp(x), or 0 for a result below the smallest normal number. It is shorter than __expf.
__device__ float exp_fast(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.442695041f));
    return y;
}

struct alignas(8) Pair {
    float max, sum;  // the largest x so far, and the sum of exp(x - max)
};

// Merges the pairs of all warps, in every lane. The maximum comes first: a lane needs one exponential.
template <int WARPS>
__device__ Pair merge(const Pair* pairs) {
    const int lane = threadIdx.x % 32;
    const Pair one = lane < WARPS ? pairs[lane] : Pair{-INFINITY, 0.0f};
    Pair all = one;
    for (int d = 16; d > 0; d /= 2) all.max = fmaxf(all.max, __shfl_xor_sync(~0u, all.max, d));
    const float origin = all.max == -INFINITY ? 0.0f : all.max;
    all.sum = one.sum * exp_fast(one.max - origin);
    for (int d = 16; d > 0; d /= 2) all.sum += __shfl_xor_sync(~0u, all.sum, d);
    return all;
}

template <typename T, int THREADS, int PACKS>
__device__ void softmax_row(const T* x, T* y, int columns) {
    constexpr int N = Pack<T>::N;
    __shared__ Pair of_warp[THREADS / 32];
    const size_t start = static_cast<size_t>(blockIdx.x) * columns;
    const int thread = threadIdx.x;
    const int before = -(reinterpret_cast<size_t>(x + start) / sizeof(T)) % N;  // the first pack
    const int head = min(before, columns), packs = (columns - head) / N;
    const int single =
        thread < head ? thread : N * packs + thread;  // where it lies, if there is one
    const bool has_single = thread < columns - N * packs;
    const size_t body = start + head;

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
    if (thread % 32 == 0) of_warp[thread / 32] = mine;
    __syncthreads();  // every warp reads what all of them have written
    const Pair all = merge<THREADS / 32>(of_warp);

    const float share = exp_fast(mine.max - all.max) / all.sum;  // from the warp's maximum
    auto* to = reinterpret_cast<Pack<T>*>(y + body);
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        for (int i = 0; i < N; i++) batch[k].element[i] = static_cast<T>(kept[k][i] * share);
        if (k * THREADS + thread < packs) to[k * THREADS + thread] = batch[k];
    }
    if (has_single) y[start + single] = static_cast<T>(alone * share);
}

extern "C" __global__ void __launch_bounds__(64) block_1024(const float* x, float* y, int columns) {
    softmax_row<float, 64, 4>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(64) block_2048(const float* x, float* y, int columns) {
    softmax_row<float, 64, 8>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(512)
    block_4096(const float* x, float* y, int columns) {
    softmax_row<float, 512, 2>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(256) odd_4099(const float* x, float* y, int columns) {
    softmax_row<float, 256, 4>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(1024)
    block_8192(const float* x, float* y, int columns) {
    softmax_row<float, 1024, 2>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(512)
    block_16384(const float* x, float* y, int columns) {
    softmax_row<float, 512, 8>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(256) few_2048(const float* x, float* y, int columns) {
    softmax_row<float, 256, 2>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(64)
    half_1024(const __half* x, __half* y, int columns) {
    softmax_row<__half, 64, 2>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(256)
    half_4096(const __half* x, __half* y, int columns) {
    softmax_row<__half, 256, 2>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(512)
    half_16384(const __half* x, __half* y, int columns) {
    softmax_row<__half, 512, 4>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(64)
    bfloat_1024(const __nv_bfloat16* x, __nv_bfloat16* y, int columns) {
    softmax_row<__nv_bfloat16, 64, 2>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(256)
    bfloat_4096(const __nv_bfloat16* x, __nv_bfloat16* y, int columns) {
    softmax_row<__nv_bfloat16, 256, 2>(x, y, columns);
}
extern "C" __global__ void __launch_bounds__(512)
    bfloat_16384(const __nv_bfloat16* x, __nv_bfloat16* y, int columns) {
    softmax_row<__nv_bfloat16, 512, 4>(x, y, columns);
}
