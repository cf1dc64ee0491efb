// data_race on line 15: a copy reads ordinary stores, and only a barrier is in between
// launch: grid=2, block=64, x=ramp(128), out=zeros(128)
// expect: out = 2 * x
#include <cuda/ptx>
using namespace cuda::ptx;

extern "C" __global__ void bulk_store_without_proxy_fence(const float* x, float* out) {
    __shared__ alignas(16) float tile[64];
    const int t = threadIdx.x, first = 64 * blockIdx.x;
    tile[t] = 2 * x[first + t];
#ifdef FIXED
    fence_proxy_async(space_shared);
#endif
    __syncthreads();
    if (t == 0) cp_async_bulk(space_global, space_shared, out + first, tile, 256);
    if (t == 0) cp_async_bulk_commit_group();
    if (t == 0) cp_async_bulk_wait_group(n32_t<0>());
}
