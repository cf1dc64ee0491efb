// clean: blocks count themselves in and wait until all have come
// launch: grid=16, block=64, arrived=zeros(1, uint32), x=noise(1024), sums=zeros(16), out=zeros(1024)
// expect: out = x - x.sum() / 1024
extern "C" __global__ void barrier_of_the_grid_by_hand(volatile unsigned* arrived, const float* x,
                                                       float* sums, float* out) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    atomicAdd(&sums[blockIdx.x], x[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd((unsigned*)arrived, 1);
        while (*arrived < gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
    float total = 0.0f;
    for (int b = 0; b < gridDim.x; ++b) total += sums[b];
    out[i] = x[i] - total / 1024.0f;
}
