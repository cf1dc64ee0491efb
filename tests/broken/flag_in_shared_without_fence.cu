// data_race on line 18, with line 16: the flag is volatile, but a thread may see the flag before the data
// launch: grid=1, block=64, x=noise(32), out=zeros(32)
// expect: out = x[::-1]
extern "C" __global__ void flag_in_shared_without_fence(const float* x, float* out) {
    __shared__ float box[32];
    __shared__ volatile int full;
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) full = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        box[lane] = x[lane];
        __syncwarp();
#ifdef FIXED
        __threadfence_block();
#endif
        if (lane == 0) full = 1;
    } else {
        while (full == 0) {
        }
        __threadfence_block();
        out[lane] = box[31 - lane];
    }
}
