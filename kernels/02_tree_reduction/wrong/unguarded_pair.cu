// dot must get out_of_bounds on line 9: two products a pass, and only the first of them is guarded
extern "C" __global__ void dot(const float* x, const float* y, float* partial, int n) {
    __shared__ float tile[256];
    const int thread = threadIdx.x;

    const int step = gridDim.x * blockDim.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + thread; i < n; i += 2 * step) {
        sum += x[i] * y[i] + x[i + step] * y[i + step];
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
