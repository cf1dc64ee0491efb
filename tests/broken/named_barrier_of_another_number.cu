// barrier_divergence on line 16: the producer signals barrier 2, the consumer waits at barrier 1
// launch: grid=1, block=64, x=ramp(32), out=zeros(32)
// expect: out = x
#ifdef FIXED
#define SIGNAL "bar.arrive 1, 64;"
#else
#define SIGNAL "bar.arrive 2, 64;"
#endif
extern "C" __global__ void named_barrier_of_another_number(const float* x, float* out) {
    __shared__ float box[32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        box[lane] = x[lane];
        asm volatile(SIGNAL ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[lane] = box[lane];
    }
}
