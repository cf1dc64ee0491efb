// data_race on line 12: the flag is not volatile: the compiler may read it only once
// launch: grid=2, block=1, flag=zeros(1, int32), out=zeros(1)
// expect: out = 1
extern "C" __global__ void spin_on_a_plain_flag(int* flag, float* out) {
    if (blockIdx.x == 1) {
        atomicExch(flag, 1);
        return;
    }
#ifdef FIXED
    while (*(volatile int*)flag == 0) {
#else
    while (*flag == 0) {
#endif
    }
    *out = 1.0f;
}
