// uninitialized_read on line 20: two groups of copies are under way, and the kernel waits only for the older one
// launch: grid=1, block=64, x=ramp(128), out=zeros(64)
// expect: out = x[:64] + x[64:]
__device__ void copy(float* to, const float* from) {
    const unsigned cell = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(cell), "l"(from));
    asm volatile("cp.async.commit_group;");
}
extern "C" __global__ void async_copy_waits_for_the_wrong_group(const float* x, float* out) {
    __shared__ float tile[2][64];
    const int t = threadIdx.x;
    copy(&tile[0][t], x + t);
    copy(&tile[1][t], x + 64 + t);
#ifdef FIXED
    asm volatile("cp.async.wait_group 0;" ::: "memory");
#else
    asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
    __syncthreads();
    out[t] = tile[0][t] + tile[1][t];
}
