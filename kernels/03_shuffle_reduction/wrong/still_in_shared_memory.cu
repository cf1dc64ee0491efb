// warp_sum must get over_budget: a tree in shared memory, as before there were shuffles
extern "C" __global__ void warp_sum(const float* x, float* total, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;

    float sum = i < n ? x[i] : 0.0f;

    __shared__ float tile[1024];
    tile[threadIdx.x] = sum;
    __syncwarp();
    for (int stride = 16; stride > 0; stride /= 2) {
        if (lane < stride) tile[threadIdx.x] += tile[threadIdx.x + stride];
        __syncwarp();
    }
    sum = tile[threadIdx.x];

    if (lane == 0 && i < n) total[i / 32] = sum;
}
