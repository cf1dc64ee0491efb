// Sums of columns, as before. A fifth warp, the producer, issues the copies. The others consume.
//
//   x      float[gridDim.x * rows * 128], only read; begins at a multiple of 16 bytes
//   y      float[gridDim.x * 128], written; y[128 * b + c] is the sum of column c in block b's rows
//   rows   a multiple of 8
//   block  160 threads: threads 0 to 127 are consumers, one per column; thread 128 issues all copies
#include <cuda/ptx>
using namespace cuda::ptx;

extern "C" __global__ void two_roles(const float* x, float* y, int rows) {
    __shared__ __align__(16) float tile[2][8 * 128];  // two stages
    __shared__ uint64_t full[2], empty[2];            // of each stage
    const int t = threadIdx.x, tiles = rows / 8;
    const float* from = x + (size_t)blockIdx.x * rows * 128;
    if (t == 0) {
        for (int s = 0; s < 2; s++) mbarrier_init(&full[s], 1), mbarrier_init(&empty[s], 128);
        fence_proxy_async(space_shared);
    }
    __syncthreads();
    if (t < 128) {  // a consumer
        float sum = 0.0f;
        for (int k = 0; k < tiles; k++) {
            while (!mbarrier_try_wait_parity(&full[k % 2], k / 2 % 2)) continue;
            // BEGIN SOLUTION
            mbarrier_arrive(sem_release, scope_cta, space_shared, &empty[k % 2]);
            for (int r = 0; r < 8; r++) sum += tile[k % 2][128 * r + t];
            // END SOLUTION
        }
        y[128 * blockIdx.x + t] = sum;
    } else if (t == 128) {  // the producer
        for (int k = 0; k < tiles; k++) {
            while (!mbarrier_try_wait_parity(&empty[k % 2], (k / 2 + 1) % 2)) continue;
            mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full[k % 2], 4096);
            cp_async_bulk(space_cluster, space_global, tile[k % 2], from + 1024 * k, 4096,
                          &full[k % 2]);
        }
    }
}
