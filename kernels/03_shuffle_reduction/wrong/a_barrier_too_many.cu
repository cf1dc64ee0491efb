// row_share must get over_budget: warp 0 spreads the result in the same array, at the price of a third barrier
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
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int warps = blockDim.x / 32;
    float result = Op::identity();

    value = warp_all_reduce<Op>(value);
    if (lane == 0) of_warp[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = warp_all_reduce<Op>(lane < warps ? of_warp[lane] : Op::identity());
        if (lane == 0) of_warp[0] = value;
    }
    __syncthreads();
    result = of_warp[0];
    __syncthreads();

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
