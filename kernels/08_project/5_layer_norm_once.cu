// Layer normalisation that reads its row once: 16 bytes per load, all loads in flight together;
// the row stays in the registers of its block.
//
//   x, y          float[rows][columns], x only read, y written; block r owns row r
//   weight, bias  float[columns], only read
//   columns       a multiple of 4, at most 4 * PACKS * blockDim.x; all arrays begin at multiples of 16
//   block         whole warps: a multiple of 32 threads, at most 1024
//
// The row is in registers, so the mean comes first and the squares next, without a second read.
// Welford's triples are for rows that are not kept.
__device__ float sum_of_block(float mine, float* of_warp) {
    for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_xor_sync(~0u, mine, offset);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
    __syncthreads();  // every warp reads what all of them have written
    mine = threadIdx.x % 32 < blockDim.x / 32 ? of_warp[threadIdx.x % 32] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_xor_sync(~0u, mine, offset);
    return mine;
}

template <int PACKS>
__device__ void once(const float* x, const float* weight, const float* bias, float* y, int columns,
                     float epsilon) {
    __shared__ float sums[32], squares[32];  // one array each: no barrier between the two exchanges
    const int packs = columns / 4;
    const size_t row = static_cast<size_t>(blockIdx.x) * packs;
    const float4* from = reinterpret_cast<const float4*>(x) + row;
    float4 kept[PACKS];
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const int p = k * blockDim.x + threadIdx.x;
        kept[k] = p < packs ? from[p] : float4{0.0f, 0.0f, 0.0f, 0.0f};
    }
#pragma unroll
    for (int k = 0; k < PACKS; k++) sum += (kept[k].x + kept[k].y) + (kept[k].z + kept[k].w);
    const float mean = sum_of_block(sum, sums) / columns;

    float square = 0.0f;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        if (k * blockDim.x + threadIdx.x < packs) {
            const float a = kept[k].x - mean, b = kept[k].y - mean;
            const float c = kept[k].z - mean, d = kept[k].w - mean;
            square += (a * a + b * b) + (c * c + d * d);
        }
    }
    const float scale = rsqrtf(sum_of_block(square, squares) / columns + epsilon);

#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const int p = k * blockDim.x + threadIdx.x;
        if (p < packs) {
            const float4 w = reinterpret_cast<const float4*>(weight)[p];
            const float4 b = reinterpret_cast<const float4*>(bias)[p];
            reinterpret_cast<float4*>(y)[row + p] = {
                (kept[k].x - mean) * scale * w.x + b.x, (kept[k].y - mean) * scale * w.y + b.y,
                (kept[k].z - mean) * scale * w.z + b.z, (kept[k].w - mean) * scale * w.w + b.w};
        }
    }
}

extern "C" __global__ void __launch_bounds__(256)
    layer_norm_1(const float* x, const float* weight, const float* bias, float* y, int columns,
                 float epsilon) {
    once<1>(x, weight, bias, y, columns, epsilon);
}

extern "C" __global__ void __launch_bounds__(256)
    layer_norm_4(const float* x, const float* weight, const float* bias, float* y, int columns,
                 float epsilon) {
    once<4>(x, weight, bias, y, columns, epsilon);
}

extern "C" __global__ void __launch_bounds__(1024)
    layer_norm_long(const float* x, const float* weight, const float* bias, float* y, int columns,
                    float epsilon) {
    once<4>(x, weight, bias, y, columns, epsilon);
}
