// data_race on line 17, with line 6: the flag may be seen before the data that it announces
// launch: grid=2, block=1, data=zeros(1), flag=zeros(1, int32), out=zeros(1)
// expect: out = 42
extern "C" __global__ void flag_between_blocks_without_fence(float* data, int* flag, float* out) {
    if (blockIdx.x == 0) {
        *data = 42.0f;
#ifdef FIXED
        __threadfence();
#endif
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
#ifdef FIXED
        __threadfence();
#endif
        *out = *data;
    }
}
