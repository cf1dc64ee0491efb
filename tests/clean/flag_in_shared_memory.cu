// clean: a warp waits for another through a volatile flag and a fence
// launch: grid=1, block=64, x=noise(32), out=zeros(32)
// expect: out = x[::-1]
extern "C" __global__ void flag_in_shared_memory(const float* x, float* out) {
    __shared__ volatile float box[32];
    __shared__ volatile int full;
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) full = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        box[lane] = x[lane];
        __syncwarp();
        __threadfence_block();
        if (lane == 0) full = 1;
    } else {
        while (full == 0) {
        }
        __threadfence_block();
        out[lane] = box[31 - lane];
    }
}
