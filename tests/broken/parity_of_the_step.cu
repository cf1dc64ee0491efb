// uninitialized_read on line 34: the parity follows the step, not the use of the stage, so the wait for stage 1 ends at once
// launch: grid=1, block=128, x=ramp(768), out=zeros(768), tiles=int32(6)
// expect: out = x.reshape(6, 128)[:, ::-1]
#include <cuda/ptx>
using namespace cuda::ptx;

// Reverses each tile of 128 elements. A ring has three stages.
extern "C" __global__ void parity_of_the_step(const float* x, float* out, int tiles) {
    __shared__ alignas(16) float tile[3][128];
    __shared__ uint64_t full[3];
    const int t = threadIdx.x;
    if (t == 0) {
        for (int s = 0; s < 3; s++) mbarrier_init(&full[s], 1);
        fence_proxy_async(space_shared);
    }
    __syncthreads();
    for (int k = 0, next = 0; k < tiles; k++) {
        for (; t == 0 && next < tiles && next < k + 3; next++) {
            const int s = next % 3;
            mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full[s], 512);
            cp_async_bulk(space_cluster, space_global, tile[s], x + 128 * next, 512, &full[s]);
        }
        const int s = k % 3;
#ifdef FIXED
        const int parity = k / 3 % 2;
#else
        const int parity = k % 2;
#endif
        while (true) {
            if (mbarrier_try_wait_parity(&full[s], parity)) break;
        }
        const float* here = tile[s];
        const int from = 127 - t;
        out[128 * k + t] = here[from];
        __syncthreads();
    }
}
