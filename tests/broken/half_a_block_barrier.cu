// data_race on line 19, with line 11: the barrier is for two warps, but they read what all four warps wrote
// launch: grid=1, block=128, x=noise(128), out=zeros(128)
// expect: out = x[::-1]
__device__ void meet(int barrier, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
extern "C" __global__ void half_a_block_barrier(const float* x, float* out) {
    __shared__ float tile[128];
    const int t = threadIdx.x;
#ifndef FIXED
    tile[t] = x[t];
    meet(1 + t / 64, 64);  // the lower and the upper half, each for itself
#else
    tile[t] = x[t];
    meet(1 + t / 64, 64);
    meet(3, 128);
#endif
    const int opposite = 127 - t;
    out[t] = tile[opposite];
}
