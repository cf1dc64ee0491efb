// timeout on line 34: in the first round of a stage the producer waits for a phase that nobody can end
// launch: grid=1, block=160, x=ramp(768), out=zeros(768), tiles=int32(6)
// expect: out = x.reshape(6, 128)[:, ::-1]
#include <cuda/ptx>
using namespace cuda::ptx;

extern "C" __global__ void producer_waits_for_the_next_phase(const float* x, float* out,
                                                             int tiles) {
    __shared__ alignas(16) float tile[2][128];
    __shared__ uint64_t full[2], empty[2];
    const int t = threadIdx.x;
    if (t == 0) {
        for (int s = 0; s < 2; s++) {
            mbarrier_init(&full[s], 1);
            mbarrier_init(&empty[s], 128);
        }
        fence_proxy_async(space_shared);
    }
    __syncthreads();
    if (t >= 128) {  // the producer
        for (int k = 0; t == 128 && k < tiles; k++) {
            const int s = k % 2, use = k / 2;
#ifdef FIXED
            while (use > 0 && !mbarrier_try_wait_parity(&empty[s], (use + 1) % 2)) continue;
#else
            while (!mbarrier_try_wait_parity(&empty[s], use % 2)) continue;
#endif
            mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full[s], 512);
            cp_async_bulk(space_cluster, space_global, tile[s], x + 128 * k, 512, &full[s]);
        }
    } else {
        for (int k = 0; k < tiles; k++) {
            const int s = k % 2, use = k / 2;
            while (!mbarrier_try_wait_parity(&full[s], use % 2)) continue;
            out[128 * k + t] = tile[s][127 - t];
            mbarrier_arrive(&empty[s]);
        }
    }
}
