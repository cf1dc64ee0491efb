// max must get data_race on line 11: no barrier between filling the tile and reading it
extern "C" __global__ void block_max(const float* x, float* partial, int n) {
    __shared__ float tile[256];
    const int thread = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + thread;

    tile[thread] = i < n ? x[i] : -INFINITY;

    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            tile[thread] = fmaxf(tile[thread], tile[thread + stride]);
        }
        __syncthreads();
    }

    if (thread == 0) partial[blockIdx.x] = tile[0];
}
