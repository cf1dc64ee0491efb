// Inclusive scan of 32 elements per warp that begins again wherever a segment begins.
//
//   x, y   float[n], x only read, y written; y[i] is the sum from the last begin up to i
//   head   bool[n], only read; a segment begins at i; one begins at each warp's first element, too
//   block  whole warps, and in the grid as many threads as elements or more
extern "C" __global__ void segments(const float* x, const bool* head, float* y, int n) {
    const int lane = threadIdx.x % 32;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    // Your turn: where does the lane's segment begin? Then add from lanes that are not before it.
    // BEGIN SOLUTION
    const unsigned int heads = __ballot_sync(~0u, i < n && head[i]) | 1;  // bit l: lane l begins
    const int begin = 31 - __clz(heads & (~0u >> (31 - lane)));  // the last one that is not after
    float sum = i < n ? x[i] : 0.0f;
    for (int apart = 1; apart < 32; apart *= 2) {
        const float below = __shfl_up_sync(~0u, sum, apart);
        if (lane - apart >= begin) sum += below;
    }
    if (i < n) y[i] = sum;
    // END SOLUTION
}
