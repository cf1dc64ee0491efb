// dot must get over_budget: each thread walks a stretch of its own, so a warp's loads lie far apart
extern "C" __global__ void dot(const float* x, const float* y, float* partial, int n) {
    __shared__ float tile[256];
    const int thread = threadIdx.x;

    const int threads = gridDim.x * blockDim.x;
    const int length = (n + threads - 1) / threads;
    const int first = (blockIdx.x * blockDim.x + thread) * length;
    float sum = 0.0f;
    for (int i = first; i < first + length && i < n; i++) {
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
