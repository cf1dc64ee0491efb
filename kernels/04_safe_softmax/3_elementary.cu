// Softmax of one vector of any length in three launches. The host combines.
//
//   x        float[n], only read; thread i of the whole grid owns x[i], x[i + T], x[i + 2T], ...
//            where T = gridDim.x * blockDim.x is the number of threads in the grid
//   partial  float[gridDim.x], written; block b's largest element, or its sum of exponentials
//   largest  the maximum of x, which the host computed from the results of partial_max
//   total    the sum of exp(x[i] - largest) over all i, computed from the results of exp_sum
//   y        float[n], written; exp(x[i] - largest) / total, by the thread that owns x[i]
//   block    whole warps: a multiple of 32 threads, at most 1024
__device__ float add(float a, float b) {
    return a + b;
}

// Combines the values of the 32 lanes; every lane gets the result.
template <float (*combine)(float, float)>
__device__ float warp_all_reduce(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value = combine(value, __shfl_xor_sync(0xffffffff, value, offset));
    }
    return value;
}

// Combines the values of all threads; all get the result. Call it only once: it has one barrier.
// of_warp: float[32] in shared memory; one element for each warp that a block can have.
template <float (*combine)(float, float)>
__device__ float block_all_reduce(float value, float identity, float* of_warp) {
    const int lane = threadIdx.x % 32;
    value = warp_all_reduce<combine>(value);
    if (lane == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();  // now every warp may read what the others wrote
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
    // Your turn: add up exp(x[i] - largest) over the elements of this block.
    // BEGIN SOLUTION
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += expf(x[i] - largest);
    }
    sum = block_all_reduce<add>(sum, 0.0f, of_warp);
    // END SOLUTION
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

extern "C" __global__ void normalize(const float* x, float largest, float total, float* y, int n) {
    // Your turn: write y for the elements that this thread owns.
    // BEGIN SOLUTION
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        y[i] = expf(x[i] - largest) / total;
    }
    // END SOLUTION
}
