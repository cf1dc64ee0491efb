// dot must get wrong_answer: the step is one block, not the whole grid, so elements are counted twice
extern "C" __global__ void dot(const float* x, const float* y, float* partial, int n) {
    __shared__ float tile[256];
    const int thread = threadIdx.x;

    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + thread; i < n; i += blockDim.x) {
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
