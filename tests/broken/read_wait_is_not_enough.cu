// data_race on line 26, with line 15: the wait ends when the copy has read its source, and not when it has written
// launch: grid=2, block=128, x=ramp(256), scratch=zeros(256), out=zeros(256)
// expect: out = x.reshape(2, 128)[:, ::-1]
#include <cuda/ptx>
using namespace cuda::ptx;

// A bulk copy takes a tile to scratch. Then the block reads it there, in reverse.
extern "C" __global__ void read_wait_is_not_enough(const float* x, float* scratch, float* out) {
    __shared__ alignas(16) float tile[128];
    const int t = threadIdx.x, first = 128 * blockIdx.x;
    tile[t] = x[first + t];
    fence_proxy_async(space_shared);
    __syncthreads();
    if (t == 0) {
        cp_async_bulk(space_global, space_shared, scratch + first, tile, 512);
        cp_async_bulk_commit_group();
#ifdef FIXED
        cp_async_bulk_wait_group(n32_t<0>());
#else
        cp_async_bulk_wait_group_read(n32_t<0>());
#endif
    }
    __syncthreads();
    const float* back = scratch + first;
    const int from = 127 - t;
    out[first + t] = back[from];
}
