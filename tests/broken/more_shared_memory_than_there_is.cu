// launch_error: the launch asks for 64 KB of shared memory, but a block has only 48 KB
// launch: grid=1, block=64, shared_mem=65536, x=ramp(64), out=zeros(64)
// expect: out = x[::-1]
// fixed: shared_mem=256
extern "C" __global__ void more_shared_memory_than_there_is(const float* x, float* out) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
