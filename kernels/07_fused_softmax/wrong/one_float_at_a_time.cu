// warp_softmax must get over_budget: the row is in registers, but it got there float by float, and so it leaves
constexpr int FLOATS = 32;  // that a lane can keep: 32 lanes hold 1,024 columns

extern "C" __global__ void warp_softmax(const float* x, float* y, int rows, int columns) {
    const int lane = threadIdx.x % 32;
    const size_t row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) return;  // the same for the whole warp: no lane is missed by the shuffles
    const float* from = x + row * columns;
    float* to = y + row * columns;

    float kept[FLOATS];  // registers, as long as every index is known when compiling
    float largest = -INFINITY;
#pragma unroll
    for (int k = 0; k < FLOATS; k++) {
        const int p = k * 32 + lane;
        if (p < columns) {
            kept[k] = from[p];
            largest = fmaxf(largest, kept[k]);
        }
    }
    for (int apart = 16; apart > 0; apart /= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, apart));
    }

    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < FLOATS; k++) {
        if (k * 32 + lane < columns) {
            sum += (kept[k] = __expf(kept[k] - largest));
        }
    }
    for (int apart = 16; apart > 0; apart /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, apart);
    }

    const float share = 1.0f / sum;  // one division a row
#pragma unroll
    for (int k = 0; k < FLOATS; k++) {
        const int p = k * 32 + lane;
        if (p < columns) {
            to[p] = kept[k] * share;
        }
    }
}
