// clean: named barriers hand a box back and forth between two warps
// launch: grid=2, block=64, x=noise(512), out=zeros(512)
// expect: out = 2 * x
extern "C" __global__ void producer_and_consumer(const float* x, float* out) {
    __shared__ float box[32];
    const int lane = threadIdx.x % 32, first = blockIdx.x * 256;
    for (int step = 0; step < 8; ++step) {
        if (threadIdx.x < 32) {
            box[lane] = x[first + step * 32 + 31 - lane];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            out[first + step * 32 + lane] = 2.0f * box[31 - lane];
            asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
}
