// uninitialized_read on line 13: the copy to shared memory is still under way when its cells are read
// launch: grid=1, block=64, x=ramp(64), out=zeros(64)
// expect: out = x[::-1]
extern "C" __global__ void async_copy_without_wait(const float* x, float* out) {
    __shared__ float tile[64];
    const unsigned cell = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(cell), "l"(x + threadIdx.x));
    asm volatile("cp.async.commit_group;");
#ifdef FIXED
    asm volatile("cp.async.wait_group 0;" ::: "memory");
#endif
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
