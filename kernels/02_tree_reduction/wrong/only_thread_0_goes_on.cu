// last_block must get barrier_divergence on line 4: thread 0 alone goes on, and waits at the tree's first barrier for the others
__device__ float block_sum(float value, float* tile) {
    tile[threadIdx.x] = value;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            tile[threadIdx.x] += tile[threadIdx.x + stride];
        }
        __syncthreads();
    }
    return tile[threadIdx.x];
}

extern "C" __global__ void last_block(const float* x, float* partial, float* total,
                                      unsigned int* finished, int n) {
    __shared__ float tile[256];
    __shared__ bool last;
    const int thread = threadIdx.x;

    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + thread; i < n; i += gridDim.x * blockDim.x) {
        sum += x[i];
    }
    sum = block_sum(sum, tile);

    if (thread == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        if (atomicAdd(finished, 1) == gridDim.x - 1) {
            __threadfence();
            sum = 0.0f;
            for (int b = 0; b < gridDim.x; b++) {
                sum += partial[b];
            }
            *total = block_sum(sum, tile);
            *finished = 0;
        }
    }
}
