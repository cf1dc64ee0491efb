// row_share must get over_budget: a tree in shared memory over all threads, with a barrier at every step
struct Sum {
    static __device__ float identity() {
        return 0.0f;
    }
    static __device__ float combine(float a, float b) {
        return a + b;
    }
};

struct Max {
    static __device__ float identity() {
        return -INFINITY;
    }
    static __device__ float combine(float a, float b) {
        return fmaxf(a, b);
    }
};

template <typename Op>
__device__ float warp_all_reduce(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value = Op::combine(value, __shfl_xor_sync(0xffffffff, value, offset));
    }
    return value;
}

template <typename Op>
__device__ float block_all_reduce(float value, float* of_warp) {
    float result = Op::identity();

    __shared__ float tile[1024];
    __syncthreads();
    tile[threadIdx.x] = value;
    for (int count = blockDim.x; count > 1; count = (count + 1) / 2) {
        __syncthreads();
        const int other = threadIdx.x + (count + 1) / 2;
        if (other < count) tile[threadIdx.x] = Op::combine(tile[threadIdx.x], tile[other]);
    }
    __syncthreads();
    result = tile[0];

    return result;
}

extern "C" __global__ void row_share(const float* x, float* share, float* below, int rows,
                                     int columns) {
    __shared__ float of_warp[32];
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        const int end = (row + 1) * columns;
        float total = Sum::identity(), largest = Max::identity();
        for (int i = row * columns + threadIdx.x; i < end; i += blockDim.x) {
            total = Sum::combine(total, x[i]);
            largest = Max::combine(largest, x[i]);
        }
        total = block_all_reduce<Sum>(total, of_warp);
        largest = block_all_reduce<Max>(largest, of_warp);
        for (int i = row * columns + threadIdx.x; i < end; i += blockDim.x) {
            share[i] = x[i] / total;
            below[i] = x[i] - largest;
        }
    }
}
