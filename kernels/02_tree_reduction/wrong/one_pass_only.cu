// dot must get wrong_answer: one product a thread, so what lies beyond the first pass is dropped
extern "C" __global__ void dot(const float* x, const float* y, float* partial, int n) {
    __shared__ float tile[256];
    const int thread = threadIdx.x;

    const int i = blockIdx.x * blockDim.x + thread;
    const float sum = i < n ? x[i] * y[i] : 0.0f;
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
