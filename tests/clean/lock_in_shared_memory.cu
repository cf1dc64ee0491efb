// clean: lanes of a block take turns at a lock in shared memory
// launch: grid=1, block=64, x=noise(64), out=zeros(1)
// expect: out = x.sum()
extern "C" __global__ void lock_in_shared_memory(const float* x, float* out) {
    __shared__ int lock;
    __shared__ volatile float sum;
    if (threadIdx.x == 0) lock = 0, sum = 0.0f;
    __syncthreads();
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence_block();
            sum = sum + x[threadIdx.x];
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) *out = sum;
}
