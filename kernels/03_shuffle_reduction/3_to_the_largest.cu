// Every element as a share of the largest one of its warp.
//
//   x, y   float[n], positive, x only read, y written; y[i] = x[i] / the largest x in its warp
//   block  whole warps, and as many threads as there are elements
extern "C" __global__ void to_the_largest(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION
    float largest = x[i];
    for (int apart = 16; apart > 0; apart /= 2) {
        const float other = __shfl_xor_sync(0xffffffff, largest, apart);
        largest = fmaxf(largest, other);
    }
    y[i] = x[i] / largest;
    // END SOLUTION
}
