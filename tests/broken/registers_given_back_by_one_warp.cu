// shuffle_divergence on line 25: one warp executes setmaxnreg, and its instruction is for all four warps of a warpgroup
// launch: grid=1, block=384, x=ramp(256), out=zeros(256)
// expect: out = 2 * x
#include <cuda/ptx>
using namespace cuda::ptx;

// Warpgroup 0 copies. Warpgroups 1 and 2 compute, with more registers.
extern "C" __global__ void __launch_bounds__(384, 1)
    registers_given_back_by_one_warp(const float* x, float* out) {
    __shared__ alignas(16) float tile[256];
    __shared__ uint64_t full;
    const int t = threadIdx.x, warp = t / 32;
    if (t == 0) {
        mbarrier_init(&full, 1);
        fence_proxy_async(space_shared);
    }
    __syncthreads();
    if (warp < 4) {
#ifdef FIXED
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
#endif
        if (warp == 0) {
#ifndef FIXED
            // The mistake: only warp 0 arrives here.
            asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
#endif
            if (t == 0) {
                mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full, 1024);
                cp_async_bulk(space_cluster, space_global, tile, x, 1024, &full);
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        while (!mbarrier_try_wait_parity(&full, 0)) continue;
        out[t - 128] = 2.0f * tile[t - 128];
    }
}
