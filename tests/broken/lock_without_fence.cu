// data_race on line 11: the lock is released before other blocks can see the write
// launch: grid=4, block=32, lock=zeros(1, int32), total=zeros(1)
// expect: total = 6
extern "C" __global__ void lock_without_fence(int* lock, float* total) {
    if (threadIdx.x > 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
#ifdef FIXED
    __threadfence();
#endif
    *total += blockIdx.x;
#ifdef FIXED
    __threadfence();
#endif
    atomicExch(lock, 0);
}
