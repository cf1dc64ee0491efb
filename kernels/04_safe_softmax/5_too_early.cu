// The largest of 64 elements. Each warp finds its largest by shuffles; every thread combines both.
//
//   x, y   float[64], x only read, y written; y[t] = x[t] - the largest
//   block  64 threads
extern "C" __global__ void too_early(const float* x, float* y) {
    __shared__ float of_warp[2];
    const int t = threadIdx.x;
    float largest = x[t];
    for (int apart = 16; apart > 0; apart /= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, apart));
    }
    if (t % 32 == 0) of_warp[t / 32] = largest;
    // BEGIN SOLUTION
    __syncwarp();
    // END SOLUTION
    y[t] = x[t] - fmaxf(of_warp[0], of_warp[1]);
}
