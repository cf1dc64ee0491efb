// clean: in a partial tile, only some of the threads have a valid item
// launch: grid=1, block=96, x=noise(50), out=zeros(1), n=int32(50)
// expect: out = x.sum()
// each: HOW = cub::BLOCK_REDUCE_RAKING, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, cub::BLOCK_REDUCE_WARP_REDUCTIONS
#include <cub/cub.cuh>
extern "C" __global__ void cub_block_reduce_partial(const float* x, float* out, int n) {
    typedef cub::BlockReduce<float, 96, HOW> Reduce;
    __shared__ typename Reduce::TempStorage storage;
    float v;
    if (threadIdx.x < n) v = x[threadIdx.x];
    const float sum = Reduce(storage).Sum(v, n);
    if (threadIdx.x == 0) *out = sum;
}
