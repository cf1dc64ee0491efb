// clean: logical warps narrower than a warp share it
// launch: grid=1, block=128, x=noise(128), out=zeros(128 // WIDTH)
// expect: out = x.reshape(-1, WIDTH).sum(axis=1)
// each: WIDTH = 2, 4, 8, 16, 32
#include <cub/cub.cuh>
extern "C" __global__ void cub_warp_reduce(const float* x, float* out) {
    typedef cub::WarpReduce<float, WIDTH> Reduce;
    __shared__ typename Reduce::TempStorage storage[128 / WIDTH];
    const int group = threadIdx.x / WIDTH;
    const float sum = Reduce(storage[group]).Sum(x[threadIdx.x]);
    if (threadIdx.x % WIDTH == 0) out[group] = sum;
}
