// on_device must get wrong_answer: a partial result a thread, and there are more
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

template <float (*combine)(float, float)>
__device__ float finish(const float* partial, float identity, float* of_warp) {
    float value = identity;
    if (threadIdx.x < gridDim.x) value = partial[threadIdx.x];
    value = block_all_reduce<combine>(value, identity, of_warp);
    return value;
}

extern "C" __global__ void vector_max(const float* x, float* maxima, int n) {
    __shared__ float of_warp[32];
    float largest = -INFINITY;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        largest = fmaxf(largest, x[i]);
    }
    largest = block_all_reduce<fmaxf>(largest, -INFINITY, of_warp);
    if (threadIdx.x == 0) maxima[blockIdx.x] = largest;
}

extern "C" __global__ void vector_exp_sum(const float* x, const float* maxima, float* sums, int n) {
    __shared__ float of_warp[32];
    const float largest = finish<fmaxf>(maxima, -INFINITY, of_warp);
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += expf(x[i] - largest);
    }
    sum = block_all_reduce<add>(sum, 0.0f, of_warp);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

extern "C" __global__ void vector_normalize(const float* x, const float* maxima, const float* sums,
                                            float* y, int n) {
    __shared__ float of_warp[32];
    const float largest = finish<fmaxf>(maxima, -INFINITY, of_warp);
    const float total = finish<add>(sums, 0.0f, of_warp);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        y[i] = expf(x[i] - largest) / total;
    }
}
