// Each element's share of its row's sum, and how far it lies below its row's largest.
//
//   x      float[rows][columns], only read; block b owns rows b, b + gridDim.x, b + 2 * gridDim.x...
//   share  float[rows][columns], written; x[r][c] / the sum of row r
//   below  float[rows][columns], written; x[r][c] - the largest of row r
//   block  whole warps: a multiple of 32 threads, at most 1024
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

// All 32 lanes bring a value; every one of them gets the result.
template <typename Op>
__device__ float warp_all_reduce(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value = Op::combine(value, __shfl_xor_sync(0xffffffff, value, offset));
    }
    return value;
}

// All threads of the block bring a value; every one of them gets the result.
// of_warp: float[32] in shared memory; one place for each warp that a block can have.
template <typename Op>
__device__ float block_all_reduce(float value, float* of_warp) {
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int warps = blockDim.x / 32;
    float result = Op::identity();

    // Your turn. Mind that the kernel calls this function again and again, with the same of_warp.
    // BEGIN SOLUTION
    value = warp_all_reduce<Op>(value);
    __syncthreads();  // wait until all threads have read of_warp in the call before
    if (lane == 0) of_warp[warp] = value;
    __syncthreads();  // wait until all warps have written of_warp in this call
    result = warp_all_reduce<Op>(lane < warps ? of_warp[lane] : Op::identity());
    // END SOLUTION

    return result;
}

extern "C" __global__ void row_share(const float* x, float* share, float* below, int rows,
                                     int columns) {
    __shared__ float of_warp[32];
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {  // the same rows for all threads
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
