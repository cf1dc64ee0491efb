// clean: a logical warp of no power of two goes through shared memory, with warp barriers
// launch: grid=1, block=WIDTH, x=noise(WIDTH), out=zeros(1)
// expect: out = x.sum()
// each: WIDTH = 5, 12, 31
#include <cub/cub.cuh>
extern "C" __global__ void cub_warp_reduce_through_memory(const float* x, float* out) {
    typedef cub::WarpReduce<float, WIDTH> Reduce;
    __shared__ typename Reduce::TempStorage storage;
    const float sum = Reduce(storage).Sum(x[threadIdx.x]);
    if (threadIdx.x == 0) *out = sum;
}
