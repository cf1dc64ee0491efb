// Sums of columns: x has 128 columns, and each block adds `rows` of its rows.
//
//   x      float[gridDim.x * rows * 128], only read; begins at a multiple of 16 bytes
//   y      float[gridDim.x * 128], written; y[128 * b + c] is the sum of column c in block b's rows
//   rows   a multiple of 8
//   block  128 threads, one per column
#include <cuda/ptx>
using namespace cuda::ptx;

extern "C" __global__ void bulk_ring(const float* x, float* y, int rows) {
    __shared__ __align__(16) float tile[4][8 * 128];  // four stages of 8 rows
    __shared__ uint64_t full[4];                      // one mbarrier per stage
    const int t = threadIdx.x, tiles = rows / 8;
    const float* from = x + (size_t)blockIdx.x * rows * 128;  // tile k begins at from + 1024 * k
    if (t == 0) {
        for (int s = 0; s < 4; s++) mbarrier_init(&full[s], 1);
        fence_proxy_async(space_shared);  // copies must find the barriers set up
    }
    __syncthreads();
    float sum = 0.0f;
    // Your turn: thread 0 keeps up to four bulk copies in flight. All threads wait for tile k and add.
    // BEGIN SOLUTION
    for (int k = 0, next = 0; k < tiles; k++) {
        for (; t == 0 && next < tiles && next < k + 4; next++) {
            uint64_t* here = &full[next % 4];
            mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, here, 4096);
            cp_async_bulk(space_cluster, space_global, tile[next % 4], from + 1024 * next, 4096,
                          here);
        }
        while (!mbarrier_try_wait_parity(&full[k % 4], k / 4 % 2)) continue;
        for (int r = 0; r < 8; r++) sum += tile[k % 4][128 * r + t];
        __syncthreads();  // all threads have used tile k, so its stage may be filled again
    }
    // END SOLUTION
    y[128 * blockIdx.x + t] = sum;
}
