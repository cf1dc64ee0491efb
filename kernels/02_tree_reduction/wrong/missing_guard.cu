// interleaved must get out_of_bounds on line 7: no guard, so the last block reads past the end of x
extern "C" __global__ void interleaved(const float* x, float* partial, int n) {
    __shared__ float tile[256];
    const int thread = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + thread;

    tile[thread] = x[i];
    __syncthreads();

    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            tile[thread] += tile[thread + stride];
        }
        __syncthreads();
    }

    if (thread == 0) partial[blockIdx.x] = tile[0];
}
