// warp_sum must get shuffle_divergence on line 11: the lanes that are to give their values do not come to the shuffle
extern "C" __global__ void warp_sum(const float* x, float* total, int n) {
    const unsigned everyone = 0xffffffff;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;

    float sum = i < n ? x[i] : 0.0f;

    for (int offset = 16; offset > 0; offset /= 2) {
        if (lane < offset) {
            sum += __shfl_down_sync(everyone, sum, offset);
        }
    }

    if (lane == 0 && i < n) total[i / 32] = sum;
}
