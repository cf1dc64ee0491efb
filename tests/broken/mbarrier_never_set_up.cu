// uninitialized_read on line 20: no thread initializes the mbarrier
// launch: grid=1, block=128, x=ramp(768), out=zeros(768), tiles=int32(6)
// expect: out = x.reshape(6, 128)[:, ::-1]
#include <cuda/ptx>
using namespace cuda::ptx;

extern "C" __global__ void mbarrier_never_set_up(const float* x, float* out, int tiles) {
    __shared__ alignas(16) float tile[128];
    __shared__ uint64_t full;
    const int t = threadIdx.x;
#ifdef FIXED
    if (t == 0) {
        mbarrier_init(&full, 1);
        fence_proxy_async(space_shared);
    }
    __syncthreads();
#endif
    for (int k = 0; k < tiles; k++) {
        if (t == 0) {
            mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full, 512);
            cp_async_bulk(space_cluster, space_global, tile, x + 128 * k, 512, &full);
        }
        while (!mbarrier_try_wait_parity(&full, k % 2)) continue;
        out[128 * k + t] = tile[127 - t];
        __syncthreads();
    }
}
