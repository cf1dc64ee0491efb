// warp_sum must get out_of_bounds on line 7: no guard, so the last warp reads past the end of x
extern "C" __global__ void warp_sum(const float* x, float* total, int n) {
    const unsigned everyone = 0xffffffff;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;

    float sum = x[i];

    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(everyone, sum, offset);
    }

    if (lane == 0 && i < n) total[i / 32] = sum;
}
