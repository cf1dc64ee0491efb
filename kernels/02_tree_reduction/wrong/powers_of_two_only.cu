// max must get wrong_answer: halving a length that is not a power of two drops an element
extern "C" __global__ void block_max(const float* x, float* partial, int n) {
    __shared__ float tile[256];
    const int thread = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + thread;

    const int left = n - blockIdx.x * blockDim.x;
    const int count = left < blockDim.x ? left : blockDim.x;
    tile[thread] = i < n ? x[i] : -INFINITY;
    __syncthreads();

    for (int stride = count / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            tile[thread] = fmaxf(tile[thread], tile[thread + stride]);
        }
        __syncthreads();
    }

    if (thread == 0) partial[blockIdx.x] = tile[0];
}
