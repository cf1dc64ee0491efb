// data_race on line 20, with line 15: one warp issues the bulk copy, and another reads the copied elements after a barrier alone
// launch: grid=1, block=64, x=ramp(32), scratch=zeros(32), out=zeros(32)
// expect: out = x[::-1]
#include <cuda/ptx>
using namespace cuda::ptx;

extern "C" __global__ void bulk_copy_not_written_for_another(const float* x, float* scratch,
                                                             float* out) {
    __shared__ alignas(16) float tile[32];
    const int t = threadIdx.x;
    if (t < 32) tile[t] = x[t];
    fence_proxy_async(space_shared);
    __syncthreads();
    if (t == 32) {
        cp_async_bulk(space_global, space_shared, scratch, tile, 128);
        cp_async_bulk_commit_group();
        cp_async_bulk_wait_group_read(n32_t<0>());
    }
    __syncthreads();
    if (t < 32) out[t] = scratch[31 - t];
}
