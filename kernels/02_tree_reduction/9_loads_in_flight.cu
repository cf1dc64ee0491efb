// Sum of x, and dot product of x and y, in one launch: 16 bytes per load, BATCH loads in flight.
//
//   x, y      float[n], only read, at any address of a float; n is any number
//   partial   float[gridDim.x], all bits 1 before the launch, and again after it for the next one;
//             in between, partial[b] is the sum of block b
//   total     float[1], written by the last block, which waits for all the others
//   grid      at most as many blocks as the device holds at once: the last one waits for all
//   block     whole warps, at most 1024 threads
//
// The thread of number t in the grid owns packs t, t + T, t + 2 T ... where T = gridDim.x *
// blockDim.x. The first threads also add the elements before the first pack and after the last, at most 3 each.
template <int N>
struct alignas(4 * N) Pack {  // N values that are loaded as one
    float element[N];
};

__device__ float warp_sum(float value) {
    for (int apart = 16; apart > 0; apart /= 2) value += __shfl_xor_sync(~0u, value, apart);
    return value;
}

// Returns, in every thread of warp 0, the sum of the values of all threads of the block.
__device__ float block_sum(float value, float* of_warp) {
    const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
    value = warp_sum(value);
    if (lane == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();  // warp 0 reads what every warp has written
    return threadIdx.x < 32 ? warp_sum(lane < warps ? of_warp[lane] : 0.0f) : 0.0f;
}

// Returns what element i adds to the result: x[i], or x[i] * y[i].
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
        if (first + (BATCH - 1) * step < packs) {  // all packs exist: no check for each
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

// partial[b] is flag and value in one word. All bits 1 is a NaN that no addition gives: block b has
// not stored its sum yet. So this needs no fence, no atomic and no ticket.
__device__ void publish(float* place, unsigned word) {
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(place), "r"(word) : "memory");
}
__device__ float wait_for(const float* place) {  // reads again until the sum is there
    unsigned word;
    do {
        asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(word) : "l"(place) : "memory");
    } while (word == ~0u);
    return __uint_as_float(word);
}

template <bool DOT, int BATCH>
__device__ void reduce(const float* x, const float* y, float* partial, float* total, size_t n) {
    __shared__ float of_warp[32], of_warp_again[32];
    const bool side_by_side = (reinterpret_cast<size_t>(x) - reinterpret_cast<size_t>(y)) % 16 == 0;
    float sum = !DOT || side_by_side ? of_thread<DOT, 4, BATCH>(x, y, n)
                                     : of_thread<DOT, 1, BATCH>(x, y, n);
    sum = block_sum(sum, of_warp);
    if (threadIdx.x == 0) publish(&partial[blockIdx.x], __float_as_uint(sum));
    if (blockIdx.x < gridDim.x - 1) return;

    sum = 0.0f;  // the last block; all others run at the same time, or have finished
    for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
        sum += wait_for(&partial[b]);
        publish(&partial[b], ~0u);  // for the next launch
    }
    sum = block_sum(sum, of_warp_again);
    if (threadIdx.x == 0) *total = sum;
}

extern "C" __global__ void __launch_bounds__(512)
    fast_sum(const float* x, float* partial, float* total, size_t n) {
    reduce<false, 16>(x, x, partial, total, n);
}

extern "C" __global__ void __launch_bounds__(512)
    fast_dot(const float* x, const float* y, float* partial, float* total, size_t n) {
    reduce<true, 4>(x, y, partial, total, n);
}
