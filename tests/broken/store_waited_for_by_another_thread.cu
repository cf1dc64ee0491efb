// data_race on line 13, with line 18: groups belong to the thread that commits them, and thread 0 waits for its own alone
// launch: grid=1, block=128, x=ramp(1024), out=zeros(1024), tiles=int32(8)
// expect: out = 2 * x
#include <cuda/ptx>
using namespace cuda::ptx;

// out = 2 * x, tile by tile. The warps take turns in issuing the copy of a tile to out.
extern "C" __global__ void store_waited_for_by_another_thread(const float* x, float* out,
                                                              int tiles) {
    __shared__ alignas(16) float tile[128];
    const int t = threadIdx.x;
    for (int k = 0; k < tiles; k++) {
        tile[t] = 2.0f * x[128 * k + t];
        fence_proxy_async(space_shared);
        __syncthreads();
        const int issuer = 32 * (k % 4);
        if (t == issuer) {
            cp_async_bulk(space_global, space_shared, out + 128 * k, tile, 512);
            cp_async_bulk_commit_group();
        }
#ifdef FIXED
        if (t == issuer) cp_async_bulk_wait_group_read(n32_t<0>());
#else
        if (t == 0) cp_async_bulk_wait_group_read(n32_t<0>());
#endif
        __syncthreads();
    }
}
