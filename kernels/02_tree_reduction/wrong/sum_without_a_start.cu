// dot must get uninitialized_read on line 8: the sum is added to before it has a value
extern "C" __global__ void dot(const float* x, const float* y, float* partial, int n) {
    __shared__ float tile[256];
    const int thread = threadIdx.x;

    float sum;
    for (int i = blockIdx.x * blockDim.x + thread; i < n; i += gridDim.x * blockDim.x) {
        sum += x[i] * y[i];
    }
    tile[thread] = sum;
    __syncthreads();

    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            tile[thread] += tile[thread + stride];
        }
        __syncthreads();
    }

    if (thread == 0) partial[blockIdx.x] = tile[0];
}
