// data_race on line 9, with line 6: blocks run in any order, so the first may clear what others have added
// launch: grid=8, block=64, x=noise(512), total=zeros(1)
// expect: total = x.sum()
extern "C" __global__ void total_cleared_by_one_block(const float* x, float* total) {
#ifndef FIXED
    if (blockIdx.x == 0 && threadIdx.x == 0) *total = 0.0f;
    __syncthreads();
#endif
    atomicAdd(total, x[blockIdx.x * 64 + threadIdx.x]);
}
