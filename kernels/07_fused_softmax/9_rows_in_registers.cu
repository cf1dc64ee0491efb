// Row softmax, LANES lanes per row, ROWS rows in flight at a time, for floats and halves.
//
//   x, y   T[rows][columns], x only read, y written, both at addresses of a T and equally far from a
//          16-byte boundary; columns: any number up to 16 / sizeof(T) * LANES * PACKS
//   block  whole warps: a multiple of 32 threads. LANES neighbouring threads are a group. A block
//          has G = blockDim.x / LANES groups and owns G * ROWS neighbouring rows; its group g owns
//          rows g, g + G, g + 2 * G ... of these.
//
// A row may begin anywhere. Its packs begin on 16-byte boundaries. The elements before the first and
// after the last pack (fewer than two packs) are single: each of the first lanes takes one of them.
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

template <typename T>
struct Row {  // its parts, for one of LANES lanes
    int head, packs, singles;
    __device__ Row(const T* from, int columns) {
        constexpr int N = Pack<T>::N;
        const int before = -(reinterpret_cast<size_t>(from) / sizeof(T)) % N;  // the first pack
        head = min(before, columns);
        packs = (columns - head) / N;
        singles = columns - N * packs;
    }
    __device__ int single(int s) const {  // where element s of those outside of packs lies
        return s < head ? s : Pack<T>::N * packs + s;
    }
};

template <typename T, int LANES, int PACKS, int ROWS>
__device__ void softmax_rows(const T* x, T* y, int rows, int columns) {
    constexpr int N = Pack<T>::N, SINGLES = (2 * N - 3 + LANES) / LANES;  // up to 2 N - 2 elements
    const int lane = threadIdx.x % LANES, groups = blockDim.x / LANES;
    const size_t first = static_cast<size_t>(blockIdx.x) * groups * ROWS + threadIdx.x / LANES;
    Pack<T> batch[ROWS][PACKS];
    float kept[ROWS][PACKS][N], alone[ROWS][SINGLES];  // alone: the single elements
#pragma unroll
    for (int r = 0; r < ROWS; r++) {  // all loads in flight before the first use
        const T* from = x + (first + r * groups) * columns;
        const bool there = first + r * groups < rows;
        const Row<T> row(from, columns);
#pragma unroll
        for (int k = 0; k < PACKS; k++) {
            const int p = k * LANES + lane;
            if (there && p < row.packs) {
                batch[r][k] = reinterpret_cast<const Pack<T>*>(from + row.head)[p];
            } else {
                for (T& value : batch[r][k].element) value = static_cast<T>(-INFINITY);
            }
        }
#pragma unroll
        for (int k = 0; k < SINGLES; k++) {
            const int s = k * LANES + lane;
            alone[r][k] = -INFINITY;
            if (there && s < row.singles) alone[r][k] = static_cast<float>(from[row.single(s)]);
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        float largest = -INFINITY, sum = 0.0f;
        for (float value : alone[r]) largest = fmaxf(largest, value);
#pragma unroll
        for (int k = 0; k < PACKS; k++) {
            for (int i = 0; i < N; i++) {
                kept[r][k][i] = static_cast<float>(batch[r][k].element[i]);
                largest = fmaxf(largest, kept[r][k][i]);
            }
        }
        for (int offset = LANES / 2; offset > 0; offset /= 2) {  // stays within the row's lanes
            largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, offset));
        }
        for (float& value : alone[r]) sum += (value = exp_fast(value - largest));
        for (auto& pack : kept[r]) {
            for (float& value : pack) sum += (value = exp_fast(value - largest));
        }
        for (int offset = LANES / 2; offset > 0; offset /= 2) {
            sum += __shfl_xor_sync(~0u, sum, offset);
        }

        const float share = 1.0f / sum;            // one division per row
        if (first + r * groups >= rows) continue;  // no shuffle follows
        T* to = y + (first + r * groups) * columns;
        const Row<T> row(to, columns);
#pragma unroll
        for (int k = 0; k < PACKS; k++) {
            const int p = k * LANES + lane;
            for (int i = 0; i < N; i++) {
                batch[r][k].element[i] = static_cast<T>(kept[r][k][i] * share);
            }
            if (p < row.packs) reinterpret_cast<Pack<T>*>(to + row.head)[p] = batch[r][k];
        }
#pragma unroll
        for (int k = 0; k < SINGLES; k++) {
            const int s = k * LANES + lane;
            if (s < row.singles) to[row.single(s)] = static_cast<T>(alone[r][k] * share);
        }
    }
}

extern "C" __global__ void __launch_bounds__(128)
    float_rows_of_128(const float* x, float* y, int rows, int columns) {
    softmax_rows<float, 16, 2, 1>(x, y, rows, columns);
}
extern "C" __global__ void __launch_bounds__(128)
    float_rows_of_256(const float* x, float* y, int rows, int columns) {
    softmax_rows<float, 32, 2, 1>(x, y, rows, columns);
}
extern "C" __global__ void __launch_bounds__(64)
    float_rows_of_512(const float* x, float* y, int rows, int columns) {
    softmax_rows<float, 32, 4, 1>(x, y, rows, columns);
}
extern "C" __global__ void __launch_bounds__(64)
    half_rows_of_128(const __half* x, __half* y, int rows, int columns) {
    softmax_rows<__half, 8, 2, 1>(x, y, rows, columns);
}
extern "C" __global__ void __launch_bounds__(64)
    bfloat_rows_of_128(const __nv_bfloat16* x, __nv_bfloat16* y, int rows, int columns) {
    softmax_rows<__nv_bfloat16, 8, 2, 1>(x, y, rows, columns);
}
