// Every thread says who it is, and which element would be its own.
extern "C" __global__ void who_am_i() {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    printf("thread %d of block %d owns element %d\n", threadIdx.x, blockIdx.x, i);
}
