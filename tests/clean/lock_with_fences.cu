// clean: one thread of each block at a time, fences on both sides
// launch: grid=12, block=64, lock=zeros(1, int32), total=zeros(2)
// expect: total = np.array([12, 66])
extern "C" __global__ void lock_with_fences(int* lock, float* total) {
    __syncthreads();
    if (threadIdx.x > 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    total[0] += 1.0f;
    total[1] += blockIdx.x;
    __threadfence();
    atomicExch(lock, 0);
}
