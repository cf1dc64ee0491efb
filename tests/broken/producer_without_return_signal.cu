// data_race on line 16, with line 23: the producer refills the box before the consumer has emptied it
// launch: grid=1, block=64, x=ramp(256), out=zeros(256)
// expect: out = x
__device__ void meet(int barrier) {
    asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory");
}
__device__ void announce(int barrier) {
    asm volatile("bar.arrive %0, 64;" ::"r"(barrier) : "memory");
}
extern "C" __global__ void producer_without_return_signal(const float* x, float* out) {
    __shared__ float box[32];
    const int lane = threadIdx.x % 32;
    const bool producer = threadIdx.x < 32;
    for (int step = 0; step < 8; ++step) {
        if (producer) {
            box[lane] = x[step * 32 + lane];
            announce(1);
#ifdef FIXED
            meet(2);
#endif
        } else {
            meet(1);
            out[step * 32 + lane] = box[lane];
#ifdef FIXED
            announce(2);
#endif
        }
    }
}
