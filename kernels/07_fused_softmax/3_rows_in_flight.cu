// Row softmax, LANES lanes per row: a warp has 32 / LANES rows, and more bytes in flight.
//
//   x, y   float[rows][columns], x only read, y written; LANES neighbouring threads of the grid own
//          a row, if there is one; columns: a multiple of 4, up to 4 * LANES * PACKS
//   block  whole warps: a multiple of 32 threads
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {  // N values that are loaded and stored as one
    T element[N];
};

// A store with a hint: y may leave the caches first, because no kernel reads it soon.
__device__ void stream(Pack<float, 4>* to, Pack<float, 4> pack) {
    __stcs(reinterpret_cast<float4*>(to), reinterpret_cast<float4&>(pack));
}

template <int LANES, int PACKS>
__device__ void softmax_rows(const float* x, float* y, int rows, int columns) {
    const int lane = threadIdx.x % LANES;
    const size_t row = (static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x) / LANES;
    const int packs = row < rows ? columns / 4 : 0;  // some rows of a warp may not exist
    const auto* from = reinterpret_cast<const Pack<float, 4>*>(x + row * columns);
    auto* to = reinterpret_cast<Pack<float, 4>*>(y + row * columns);

    Pack<float, 4> kept[PACKS];  // registers, as long as every index is known when compiling
    float largest = -INFINITY;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const int p = k * LANES + lane;
        if (p < packs) {
            kept[k] = from[p];
            for (float value : kept[k].element) largest = fmaxf(largest, value);
        }
    }
    for (int offset = LANES / 2; offset > 0; offset /= 2) {  // stays within the row's lanes
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, offset));
    }

    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        if (k * LANES + lane < packs) {
            for (float& value : kept[k].element) sum += (value = __expf(value - largest));
        }
    }
    for (int offset = LANES / 2; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    }

    const float share = 1.0f / sum;  // one division per row
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const int p = k * LANES + lane;
        if (p < packs) {
            for (float& value : kept[k].element) value *= share;
            stream(&to[p], kept[k]);
        }
    }
}

extern "C" __global__ void rows_of_128(const float* x, float* y, int rows, int columns) {
    softmax_rows<8, 4>(x, y, rows, columns);
}
extern "C" __global__ void rows_of_256(const float* x, float* y, int rows, int columns) {
    softmax_rows<16, 4>(x, y, rows, columns);
}
extern "C" __global__ void rows_of_512(const float* x, float* y, int rows, int columns) {
    softmax_rows<32, 4>(x, y, rows, columns);
}
extern "C" __global__ void rows_of_1024(const float* x, float* y, int rows, int columns) {
    softmax_rows<32, 8>(x, y, rows, columns);
}
