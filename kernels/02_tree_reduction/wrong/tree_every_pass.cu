// dot must get over_budget: a whole tree for every pass, where one at the end is enough
extern "C" __global__ void dot(const float* x, const float* y, float* partial, int n) {
    __shared__ float tile[256];
    const int thread = threadIdx.x;

    float sum = 0.0f;
    for (int first = blockIdx.x * blockDim.x; first < n; first += gridDim.x * blockDim.x) {
        const int i = first + thread;
        tile[thread] = i < n ? x[i] * y[i] : 0.0f;
        __syncthreads();
        for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
            if (thread < stride) {
                tile[thread] += tile[thread + stride];
            }
            __syncthreads();
        }
        if (thread == 0) sum += tile[0];
        __syncthreads();
    }

    if (thread == 0) partial[blockIdx.x] = sum;
}
