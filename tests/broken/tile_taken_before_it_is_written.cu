// data_race on line 16, with line 10: thread 0 starts the copy before the other threads have written the tile
// launch: grid=2, block=128, x=ramp(256), out=zeros(256)
// expect: out = 2 * x
#include <cuda/ptx>
using namespace cuda::ptx;

extern "C" __global__ void tile_taken_before_it_is_written(const float* x, float* out) {
    __shared__ alignas(16) float tile[128];
    const int t = threadIdx.x, first = 128 * blockIdx.x;
    tile[t] = 2.0f * x[first + t];
    fence_proxy_async(space_shared);
#ifdef FIXED
    __syncthreads();
#endif
    if (t == 0) {
        cp_async_bulk(space_global, space_shared, out + first, tile, 512);
        cp_async_bulk_commit_group();
        cp_async_bulk_wait_group_read(n32_t<0>());
    }
}
