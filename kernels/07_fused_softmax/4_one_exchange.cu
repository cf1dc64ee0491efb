// Maximum and sum of a row of 128, in every thread: four warps, and one exchange between them.
//
//   x      float[gridDim.x, 128], only read; block r owns row r
//   y      float[gridDim.x, 128], written: the softmax
//   block  128 threads
__device__ float2 merge(float2 a, float2 b) {  // (maximum, sum), of finite numbers
    const float largest = fmaxf(a.x, b.x);
    return {largest, a.y * __expf(a.x - largest) + b.y * __expf(b.x - largest)};
}

extern "C" __global__ void one_exchange(const float* x, float* y) {
    __shared__ float2 of_warp[4];
    const int i = blockIdx.x * 128 + threadIdx.x;
    float2 pair = {x[i], 1.0f};
    for (int offset = 16; offset > 0; offset /= 2) {
        const float largest = __shfl_xor_sync(0xffffffff, pair.x, offset);
        const float sum = __shfl_xor_sync(0xffffffff, pair.y, offset);
        pair = merge(pair, {largest, sum});
    }
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = pair;
    // BEGIN SOLUTION
    __syncthreads();  // all four pairs are there
    // END SOLUTION
    pair = merge(merge(of_warp[0], of_warp[1]), merge(of_warp[2], of_warp[3]));
    y[i] = __expf(x[i] - pair.x) / pair.y;
}
