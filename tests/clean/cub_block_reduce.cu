// clean: CUB's algorithms order their steps in three different ways
// launch: grid=2, block=128, x=noise(128), out=zeros(2)
// expect: out = np.array([x.sum(), x.max()])
// each: HOW = cub::BLOCK_REDUCE_RAKING, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, cub::BLOCK_REDUCE_WARP_REDUCTIONS
#include <cub/cub.cuh>
extern "C" __global__ void cub_block_reduce(const float* x, float* out) {
    typedef cub::BlockReduce<float, 128, HOW> Reduce;
    __shared__ typename Reduce::TempStorage storage;
    const float v = x[threadIdx.x];
    const float sum = Reduce(storage).Sum(v);
    __syncthreads();
    const float most = Reduce(storage).Reduce(v, [](float a, float b) { return fmaxf(a, b); });
    if (threadIdx.x == 0) out[blockIdx.x] = blockIdx.x == 0 ? sum : most;
}
