// Sum of x, and dot product of x and y, in one launch: 16 bytes a load, BATCH loads on the way.
//
//   x, y      float[n], only read, at any address of a float; n is any number
//   partial   float[gridDim.x], written; what block b's threads found
//   total     float[1], written by the block that finishes last
//   finished  unsigned int[1], 0 before the launch, and 0 again after it for the next one
//   grid      as many blocks as the device holds at once;  block  whole warps, at most 1024 threads
//
// The thread of number t in the grid owns packs t, t + T, t + 2 T ... where T = gridDim.x *
// blockDim.x; up to 3 elements before the first pack and 3 after the last are the first threads'.
template <int N>
struct alignas(4 * N) Pack {  // N values that are loaded as one
    float element[N];
};

__device__ float warp_sum(float value) {
    for (int apart = 16; apart > 0; apart /= 2) value += __shfl_xor_sync(~0u, value, apart);
    return value;
}

// In every thread of warp 0: the sum of one value from each thread of the block.
__device__ float block_sum(float value, float* of_warp) {
    const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
    value = warp_sum(value);
    if (lane == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();  // warp 0 reads what every warp has written
    return threadIdx.x < 32 ? warp_sum(lane < warps ? of_warp[lane] : 0.0f) : 0.0f;
}

// Of one element: itself, or its product with the other vector's.
template <bool DOT>
__device__ float term(const float* x, const float* y, size_t i) {
    return DOT ? x[i] * y[i] : x[i];
}

template <bool DOT, int N, int BATCH>
__device__ float of_thread(const float* x, const float* y, size_t n) {
    const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    const size_t before = (0 - reinterpret_cast<size_t>(x) / 4) % N;  // up to a pack's boundary
    const size_t head = before < n ? before : n, packs = (n - head) / N;
    const auto* a = reinterpret_cast<const Pack<N>*>(x + head);
    const auto* b = reinterpret_cast<const Pack<N>*>(y + head);

    float sum[N] = {};
    if (thread < head) sum[0] = term<DOT>(x, y, thread);
    if (thread < n - head - packs * N) sum[0] += term<DOT>(x, y, head + packs * N + thread);
    Pack<N> one[BATCH], other[BATCH];
    for (size_t first = thread; first < packs; first += BATCH * step) {
        if (first + (BATCH - 1) * step < packs) {  // all there: nothing to ask for each
#pragma unroll
            for (int k = 0; k < BATCH; k++) {
                one[k] = a[first + k * step];
                if (DOT) other[k] = b[first + k * step];
            }
        } else {
#pragma unroll
            for (int k = 0; k < BATCH; k++) {
                one[k] = first + k * step < packs ? a[first + k * step] : Pack<N>{};
                if (DOT) other[k] = first + k * step < packs ? b[first + k * step] : Pack<N>{};
            }
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            for (int i = 0; i < N; i++) {
                sum[i] += DOT ? one[k].element[i] * other[k].element[i] : one[k].element[i];
            }
        }
    }
    for (int i = 1; i < N; i++) sum[0] += sum[i];
    return sum[0];
}

// A ticket that comes after this thread's writes, and before what it reads next.
__device__ unsigned draw(unsigned* finished) {
    unsigned ticket;
    asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 1;" : "=r"(ticket) : "l"(finished) : "memory");
    return ticket;
}

template <bool DOT, int BATCH>
__device__ void reduce(const float* x, const float* y, float* partial, float* total,
                       unsigned* finished, size_t n) {
    __shared__ float of_warp[32];
    __shared__ bool last;  // whether this block is the one that finishes last
    const bool side_by_side = (reinterpret_cast<size_t>(x) - reinterpret_cast<size_t>(y)) % 16 == 0;
    float sum = !DOT || side_by_side ? of_thread<DOT, 4, BATCH>(x, y, n)
                                     : of_thread<DOT, 1, BATCH>(x, y, n);
    sum = block_sum(sum, of_warp);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        last = draw(finished) == gridDim.x - 1;
    }
    __syncthreads();  // all threads need to know what thread 0 found out
    if (!last) return;

    sum = 0.0f;
    for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) sum += partial[b];
    sum = block_sum(sum, of_warp);
    if (threadIdx.x == 0) {
        *total = sum;
        *finished = 0;
    }
}

extern "C" __global__ void __launch_bounds__(512)
    sum(const float* x, float* partial, float* total, unsigned* finished, size_t n) {
    reduce<false, 8>(x, x, partial, total, finished, n);
}

extern "C" __global__ void __launch_bounds__(512) dot(const float* x, const float* y, float* partial,
                                                      float* total, unsigned* finished, size_t n) {
    reduce<true, 4>(x, y, partial, total, finished, n);
}
