// uninitialized_read on line 10: one thread sets a variable for the block, but the others read it too early
// launch: grid=1, block=64, x=ones(64), out=zeros(64)
// expect: out = -x
extern "C" __global__ void flag_of_the_block_without_barrier(const float* x, float* out) {
    __shared__ bool negate;
    if (threadIdx.x == 0) negate = x[0] > 0.0f;
#ifdef FIXED
    __syncthreads();
#endif
    out[threadIdx.x] = negate ? -x[threadIdx.x] : x[threadIdx.x];
}
