// timeout on line 8: a lane without work does not release the lock
// launch: grid=1, block=32, x=noise(32), lock=zeros(1, int32), total=zeros(1)
// expect: total = x[x > 0].sum()
extern "C" __global__ void lock_never_let_go(const float* x, int* lock, volatile float* total) {
    const float v = x[threadIdx.x];
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            done = true;
#ifndef FIXED
            if (v <= 0.0f) continue;
#endif
            if (v > 0.0f) *total = *total + v;
            __threadfence();
            atomicExch(lock, 0);
        }
    }
}
