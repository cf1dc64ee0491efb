// barrier_divergence on line 14: the barrier waits for 96 threads, but only two warps of 32 reach it
// launch: grid=1, block=128, x=ramp(64), out=zeros(64)
// expect: out = x[::-1]
#ifdef FIXED
#define MEET "bar.sync 1, 64;"
#else
#define MEET "bar.sync 1, 96;"
#endif
extern "C" __global__ void named_barrier_for_too_many(const float* x, float* out) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    if (t >= 64) return;
    tile[t] = x[t];
    asm volatile(MEET ::: "memory");
    out[t] = tile[63 - t];
}
