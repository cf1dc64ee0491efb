// interleaved must get data_race on line 12: no barrier between one step and the next
extern "C" __global__ void interleaved(const float* x, float* partial, int n) {
    __shared__ float tile[256];
    const int thread = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + thread;

    tile[thread] = i < n ? x[i] : 0.0f;
    __syncthreads();

    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            tile[thread] += tile[thread + stride];
        }
    }

    if (thread == 0) partial[blockIdx.x] = tile[0];
}
