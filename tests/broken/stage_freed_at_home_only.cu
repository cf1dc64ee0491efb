// data_race on line 41, with line 51: consumers free a stage in their own block, and the other block fills it too
// launch: grid=2, block=160, x=ramp(768), out=zeros(1536), tiles=int32(6)
// expect: out = np.tile(x.reshape(6, 128)[:, ::-1].ravel(), 2)
#include <cooperative_groups.h>
#include <cuda/ptx>
using namespace cuda::ptx;

#ifdef FIXED
constexpr int CONSUMERS = 256;  // of both blocks
#else
constexpr int CONSUMERS = 128;  // of the own block
#endif

// Both blocks of a cluster reverse each tile of 128 elements. Each block brings half of it to both.
extern "C" __global__ void __cluster_dims__(2)
    stage_freed_at_home_only(const float* x, float* out, int tiles) {
    __shared__ alignas(16) float tile[2][128];
    __shared__ uint64_t full[2], empty[2];
    const auto cluster = cooperative_groups::this_cluster();
    const int t = threadIdx.x, rank = cluster.block_rank();
    const uint16_t both = 3;
    if (t == 0) {
        for (int s = 0; s < 2; s++) {
            mbarrier_init(&full[s], 1);
            mbarrier_init(&empty[s], CONSUMERS);
        }
        fence_mbarrier_init(sem_release, scope_cluster);
    }
    cluster.sync();
    if (t == 128) {  // the producer
        for (int k = 0; k < tiles; k++) {
            const int s = k % 2, parity = (k / 2 + 1) % 2;
            while (!mbarrier_try_wait_parity(sem_acquire, scope_cluster, &empty[s], parity)) {
                continue;
            }
            mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full[s], 512);
            float* there = tile[s] + 64 * rank;
            const float* from = x + 128 * k + 64 * rank;
            uint64_t* here = &full[s];
            // The copy writes to both blocks.
            cp_async_bulk(space_cluster, space_global, there, from, 256, here, both);
        }
    }
    if (t < 128) {  // a consumer
        float* mine = out + 128 * tiles * rank;
        for (int k = 0; k < tiles; k++) {
            const int s = k % 2;
            while (!mbarrier_try_wait_parity(&full[s], k / 2 % 2)) continue;
            const int from = 127 - t;
            float* to = &mine[128 * k + t];
            *to = tile[s][from];
#ifdef FIXED
            for (int b = 0; b < 2; b++) {
                uint64_t* there = cluster.map_shared_rank(&empty[s], b);
                mbarrier_arrive(sem_release, scope_cluster, space_cluster, there);
            }
#else
            mbarrier_arrive(sem_release, scope_cta, space_shared, &empty[s]);
#endif
        }
    }
    __syncwarp();
    cluster.sync();
}
