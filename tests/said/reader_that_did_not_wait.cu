// data_race on line 6, with line 16: thread 0 waits for the flag, but the other threads do not wait for thread 0
// launch: grid=2, block=64, data=zeros(1), flag=zeros(1, uint32), out=zeros(128)
extern "C" __global__ void reader_that_did_not_wait(float* data, unsigned* flag, float* out) {
    if (blockIdx.x == 0) {
        if (threadIdx.x > 0) return;
        data[0] = 3.0f;
        __threadfence();
        atomicExch(flag, 1);
        return;
    }
    if (threadIdx.x == 0) {
        while (atomicAdd(flag, 0) == 0) {
        }
        __threadfence();
    }
    out[threadIdx.x] = data[0];
}
