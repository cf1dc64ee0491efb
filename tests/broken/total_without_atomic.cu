// data_race on line 9: blocks add to one place, and each may overwrite what another has added
// launch: grid=8, block=64, x=noise(8), total=zeros(1)
// expect: total = x.sum()
extern "C" __global__ void total_without_atomic(const float* x, float* total) {
    if (threadIdx.x == 0) {
#ifdef FIXED
        atomicAdd(total, x[blockIdx.x]);
#else
        *total += x[blockIdx.x];
#endif
    }
}
