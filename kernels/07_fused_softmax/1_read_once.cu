// Softmax of rows of 128, one warp per row.
//
//   x, y   float[gridDim.x, 128], x only read, y written
//   block  one warp
__device__ float warp_max(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, offset));
    }
    return value;
}

__device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, offset);
    }
    return value;
}

extern "C" __global__ void read_once(const float* x, float* y) {
    const float* in = x + blockIdx.x * 128;
    float* out = y + blockIdx.x * 128;
    const int lane = threadIdx.x;
    float largest = -INFINITY;
    float sum = 0.0f;
    // BEGIN SOLUTION
    float kept[4];
    for (int k = 0; k < 4; k++) kept[k] = in[32 * k + lane];
    for (int k = 0; k < 4; k++) largest = fmaxf(largest, kept[k]);
    largest = warp_max(largest);
    for (int k = 0; k < 4; k++) sum += kept[k] = __expf(kept[k] - largest);
    sum = warp_sum(sum);
    for (int k = 0; k < 4; k++) out[32 * k + lane] = kept[k] / sum;
    // END SOLUTION
}
