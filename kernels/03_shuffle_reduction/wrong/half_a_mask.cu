// warp_sum must get shuffle_divergence on line 10: the mask names 16 lanes, and the other 16 execute the shuffle too
extern "C" __global__ void warp_sum(const float* x, float* total, int n) {
    const unsigned everyone = 0x0000ffff;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;

    float sum = i < n ? x[i] : 0.0f;

    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(everyone, sum, offset);
    }

    if (lane == 0 && i < n) total[i / 32] = sum;
}
