// out_of_bounds on line 21: a box has 16 rows, and the tile has room for 8
// launch: grid=2, block=256, x=boxes(ramp(1024).reshape(32, 32), 16, 32), out=zeros(512)
// expect: out = x.reshape(2, 16, 32)[:, :8]
#include <cuda.h>
#include <cuda/ptx>
using namespace cuda::ptx;

// Takes the first 8 of every 16 rows.
extern "C" __global__ void box_beyond_the_tile(const __grid_constant__ CUtensorMap x, float* out) {
#ifdef FIXED
    __shared__ alignas(128) float tile[16][32];
#else
    __shared__ alignas(128) float tile[8][32];
#endif
    __shared__ uint64_t full;
    const int t = threadIdx.x, begin[2] = {0, 16 * (int)blockIdx.x};
    if (t == 0) {
        mbarrier_init(&full, 1);
        fence_proxy_async(space_shared);
        mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full, 2048);
        cp_async_bulk_tensor(space_cluster, space_global, tile, &x, begin, &full);
    }
    __syncthreads();
    while (!mbarrier_try_wait_parity(&full, 0)) continue;
    out[256 * blockIdx.x + t] = tile[t / 32][t % 32];
}
