// data_race on line 12, with line 16: nothing waits until the copy has read the tile, and the next round overwrites it
// launch: grid=2, block=128, x=ramp(768), out=zeros(768), tiles=int32(3)
// expect: out = 3 * x
#include <cuda/ptx>
using namespace cuda::ptx;

extern "C" __global__ void bulk_source_overwritten(const float* x, float* out, int tiles) {
    __shared__ alignas(16) float tile[128];
    const int t = threadIdx.x;
    for (int k = 0; k < tiles; k++) {
        const int first = 128 * (tiles * blockIdx.x + k);
        tile[t] = 3.0f * x[first + t];
        fence_proxy_async(space_shared);
        __syncthreads();
        if (t == 0) {
            cp_async_bulk(space_global, space_shared, out + first, tile, 512);
            cp_async_bulk_commit_group();
#ifdef FIXED
            cp_async_bulk_wait_group_read(n32_t<0>());
#endif
        }
        __syncthreads();
    }
}
