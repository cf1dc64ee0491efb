// Softmax of one vector of any length in three launches, and nothing goes back to the host.
//
//   x       float[n], only read; thread i of the grid owns x[i], x[i + T], x[i + 2 * T] ...,
//           where T = gridDim.x * blockDim.x is how many threads the grid has
//   maxima  float[gridDim.x]; maxima[b] is the largest x[i] that the threads of block b own
//   sums    float[gridDim.x]; sums[b] is block b's sum of exp(x[i] - the largest of all x)
//   y       float[n], written; y = softmax(x), and y[i] is written by the thread that owns x[i]
//   block   whole warps, at most 1024 threads; the grid is the same in all three launches
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

// Combines the values of all threads; all get the result. Two barriers: call it as often as needed.
template <float (*combine)(float, float)>
__device__ float block_all_reduce(float value, float identity, float* of_warp) {
    const int lane = threadIdx.x % 32;
    value = warp_all_reduce<combine>(value);
    __syncthreads();  // wait until all threads have read of_warp in the call before
    if (lane == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();  // wait until all warps have written of_warp in this call
    return warp_all_reduce<combine>(lane < blockDim.x / 32 ? of_warp[lane] : identity);
}

// Combines the gridDim.x partial results of an earlier launch; every thread gets the result.
template <float (*combine)(float, float)>
__device__ float finish(const float* partial, float identity, float* of_warp) {
    float value = identity;
    // Your turn, here and below. There may be more partial results than this block has threads.
    // BEGIN SOLUTION
    for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) value = combine(value, partial[b]);
    value = block_all_reduce<combine>(value, identity, of_warp);
    // END SOLUTION
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
    // BEGIN SOLUTION
    const float largest = finish<fmaxf>(maxima, -INFINITY, of_warp);
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += expf(x[i] - largest);
    }
    sum = block_all_reduce<add>(sum, 0.0f, of_warp);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
    // END SOLUTION
}

extern "C" __global__ void vector_normalize(const float* x, const float* maxima, const float* sums,
                                            float* y, int n) {
    __shared__ float of_warp[32];
    // BEGIN SOLUTION
    const float largest = finish<fmaxf>(maxima, -INFINITY, of_warp);
    const float total = finish<add>(sums, 0.0f, of_warp);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        y[i] = expf(x[i] - largest) / total;
    }
    // END SOLUTION
}
