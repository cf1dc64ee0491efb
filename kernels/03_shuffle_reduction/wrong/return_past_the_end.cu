// warp_sum must get shuffle_divergence on line 11: lanes past the end have left, and others read from them
extern "C" __global__ void warp_sum(const float* x, float* total, int n) {
    const unsigned everyone = 0xffffffff;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;
    if (i >= n) return;

    float sum = x[i];

    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(everyone, sum, offset);
    }

    if (lane == 0 && i < n) total[i / 32] = sum;
}
