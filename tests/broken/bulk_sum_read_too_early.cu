// data_race on line 21, with line 14: the sums are read before the bulk reduction has ended
// launch: grid=1, block=128, x=ramp(128), sums=ones(128), out=zeros(128)
// expect: out = x[::-1] + 1
#include <cuda/ptx>
using namespace cuda::ptx;

extern "C" __global__ void bulk_sum_read_too_early(const float* x, float* sums, float* out) {
    __shared__ alignas(16) float tile[128];
    const int t = threadIdx.x;
    tile[t] = x[t];
    fence_proxy_async(space_shared);
    __syncthreads();
    if (t == 0) {
        cp_reduce_async_bulk(space_global, space_shared, op_add, sums, tile, 512);
        cp_async_bulk_commit_group();
#ifdef FIXED
        cp_async_bulk_wait_group(n32_t<0>());
#endif
    }
    __syncthreads();
    out[t] = sums[127 - t];
}
