// elementary must get wrong_answer: only the warp of thread 0 is added up, not the block
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
    if (lane == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    return warp_all_reduce<combine>(lane < blockDim.x / 32 ? of_warp[lane] : identity);
}

extern "C" __global__ void partial_max(const float* x, float* partial, int n) {
    __shared__ float of_warp[32];
    float largest = -INFINITY;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        largest = fmaxf(largest, x[i]);
    }
    largest = block_all_reduce<fmaxf>(largest, -INFINITY, of_warp);
    if (threadIdx.x == 0) partial[blockIdx.x] = largest;
}

extern "C" __global__ void exp_sum(const float* x, float largest, float* partial, int n) {
    __shared__ float of_warp[32];
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += expf(x[i] - largest);
    }
    sum = warp_all_reduce<add>(sum);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

extern "C" __global__ void normalize(const float* x, float largest, float total, float* y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        y[i] = expf(x[i] - largest) / total;
    }
}
