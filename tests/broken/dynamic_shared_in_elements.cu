// out_of_bounds on line 7: the launch asks for 64 bytes of shared memory, the kernel uses 64 floats
// launch: grid=1, block=64, shared_mem=64, x=ramp(64), out=zeros(64)
// expect: out = x[::-1]
// fixed: shared_mem=256
extern "C" __global__ void dynamic_shared_in_elements(const float* x, float* out) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
