// clean: blocks are served in the order of their tickets
// launch: grid=10, block=32, next=zeros(1, uint32), serving=zeros(1, uint32), total=zeros(1)
// expect: total = 45
extern "C" __global__ void lock_by_ticket(unsigned* next, volatile unsigned* serving,
                                          float* total) {
    if (threadIdx.x > 0) return;
    const unsigned mine = atomicAdd(next, 1);
    while (*serving != mine) {
    }
    __threadfence();
    *total += blockIdx.x;
    __threadfence();
    *serving = mine + 1;
}
