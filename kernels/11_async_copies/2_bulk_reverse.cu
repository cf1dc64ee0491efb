// Reverses each tile of 256 elements, which one bulk copy brings. One tile per block.
//
//   x, y   float[256 * gridDim.x]; x begins at a multiple of 16 bytes and is only read
//   block  256 threads
#include <cuda/ptx>
using namespace cuda::ptx;

extern "C" __global__ void bulk_reverse(const float* x, float* y) {
    __shared__ __align__(16) float tile[256];
    __shared__ uint64_t full;  // an mbarrier
    const int t = threadIdx.x, first = 256 * blockIdx.x;
    // BEGIN SOLUTION
    if (t == 0) mbarrier_init(&full, 1);
    if (t == 0) fence_proxy_async(space_shared);
    __syncthreads();
    if (t == 0) mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full, 1024);
    if (t == 0) cp_async_bulk(space_cluster, space_global, tile, x + first, 1024, &full);
    while (!mbarrier_try_wait_parity(&full, 0)) continue;
    // END SOLUTION
    y[first + t] = tile[255 - t];
}
