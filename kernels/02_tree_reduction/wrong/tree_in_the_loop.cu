// dot must get barrier_divergence on line 9: a tree in a loop that threads leave at different times
extern "C" __global__ void dot(const float* x, const float* y, float* partial, int n) {
    __shared__ float tile[256];
    const int thread = threadIdx.x;

    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + thread; i < n; i += gridDim.x * blockDim.x) {
        tile[thread] = x[i] * y[i];
        __syncthreads();
        for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
            if (thread < stride) {
                tile[thread] += tile[thread + stride];
            }
            __syncthreads();
        }
        sum += tile[0];
        __syncthreads();
    }

    if (thread == 0) partial[blockIdx.x] = sum;
}
