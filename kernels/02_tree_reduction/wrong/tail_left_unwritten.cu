// max must get uninitialized_read on line 12: threads past the end leave their cells unwritten
extern "C" __global__ void block_max(const float* x, float* partial, int n) {
    __shared__ float tile[256];
    const int thread = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + thread;

    if (i < n) tile[thread] = x[i];
    __syncthreads();

    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            tile[thread] = fmaxf(tile[thread], tile[thread + stride]);
        }
        __syncthreads();
    }

    if (thread == 0) partial[blockIdx.x] = tile[0];
}
