// row_softmax must get uninitialized_read on line 32: the maximum is compared with before it has a value
__device__ float add(float a, float b) {
    return a + b;
}

template <float (*combine)(float, float)>
__device__ float warp_all_reduce(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value = combine(value, __shfl_xor_sync(0xffffffff, value, offset));
    }
    return value;
}

template <float (*combine)(float, float)>
__device__ float block_all_reduce(float value, float identity, float* of_warp) {
    const int lane = threadIdx.x % 32;
    value = warp_all_reduce<combine>(value);
    __syncthreads();
    if (lane == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    return warp_all_reduce<combine>(lane < blockDim.x / 32 ? of_warp[lane] : identity);
}

extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
    __shared__ float of_warp[32];

    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* in = x + static_cast<size_t>(row) * columns;
        float* out = y + static_cast<size_t>(row) * columns;

        float largest;
        for (int c = threadIdx.x; c < columns; c += blockDim.x) largest = fmaxf(largest, in[c]);
        largest = block_all_reduce<fmaxf>(largest, -INFINITY, of_warp);

        float sum = 0.0f;
        for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += expf(in[c] - largest);
        sum = block_all_reduce<add>(sum, 0.0f, of_warp);

        for (int c = threadIdx.x; c < columns; c += blockDim.x) {
            out[c] = expf(in[c] - largest) / sum;
        }
    }
}
