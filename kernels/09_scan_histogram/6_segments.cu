// Inclusive scan of 32 elements per warp that starts again at the start of each segment.
//
//   x, y   float[n], x only read, y written; y[i] is the sum from the start of i's segment up to i
//   head   bool[n], only read; true: a segment starts at i. Each warp's first element starts one, too
//   block  whole warps, and in the grid as many threads as elements or more
extern "C" __global__ void segments(const float* x, const bool* head, float* y, int n) {
    const int lane = threadIdx.x % 32;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    // Your turn: where does the lane's segment start? Use no values of lanes before the start.
    // BEGIN SOLUTION
    const unsigned int heads =
        __ballot_sync(~0u, i < n && head[i]) | 1;                // bit l: one starts at lane l
    const int start = 31 - __clz(heads & (~0u >> (31 - lane)));  // the last start up to this lane
    float sum = i < n ? x[i] : 0.0f;
    for (int offset = 1; offset < 32; offset *= 2) {
        const float below = __shfl_up_sync(~0u, sum, offset);
        if (lane - offset >= start) sum += below;
    }
    if (i < n) y[i] = sum;
    // END SOLUTION
}
