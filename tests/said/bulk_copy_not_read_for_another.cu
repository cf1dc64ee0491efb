// data_race on line 11, with line 15: one warp issues the bulk copies, and another fills the tile again after a barrier alone
// launch: grid=1, block=64, x=ramp(96), out=zeros(96), tiles=int32(3)
// expect: out = x
#include <cuda/ptx>
using namespace cuda::ptx;

extern "C" __global__ void bulk_copy_not_read_for_another(const float* x, float* out, int tiles) {
    __shared__ alignas(16) float tile[32];
    const int t = threadIdx.x;
    for (int k = 0; k < tiles; k++) {
        if (t < 32) tile[t] = x[32 * k + t];
        fence_proxy_async(space_shared);
        __syncthreads();
        if (t == 32) {
            cp_async_bulk(space_global, space_shared, out + 32 * k, tile, 128);
            cp_async_bulk_commit_group();
        }
        __syncthreads();
    }
    cp_async_bulk_wait_group_read(n32_t<0>());
}
