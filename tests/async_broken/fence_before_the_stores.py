"""data_race: the proxy fence is before the stores of a box, so the copy from there may miss them."""

import numpy as np

from grader.cuda import simulator, tensor_map

CODE = r"""
#include <cuda.h>
#include <cuda/ptx>
using namespace cuda::ptx;

// out = 2 * x, both as tensor maps. Each block changes its boxes in shared memory.
extern "C" __global__ void fence_before_the_stores(const __grid_constant__ CUtensorMap x,
                                                   const __grid_constant__ CUtensorMap out,
                                                   int boxes) {
    __shared__ alignas(128) float box[8][32];
    __shared__ uint64_t full;
    const int t = threadIdx.x;
    float* mine = &box[t / 32][t % 32];
    if (t == 0) {
        mbarrier_init(&full, 1);
        fence_proxy_async(space_shared);
    }
    __syncthreads();
    for (int k = 0; k < boxes; k++) {
        const int begin[2] = {0, 8 * (boxes * (int)blockIdx.x + k)};
        if (t == 0) {
            mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full, sizeof box);
            cp_async_bulk_tensor(space_cluster, space_global, box, &x, begin, &full);
        }
        while (!mbarrier_try_wait_parity(&full, k % 2)) continue;
#ifndef FIXED
        fence_proxy_async(space_shared);
#endif
        *mine = 2.0f * *mine;
#ifdef FIXED
        fence_proxy_async(space_shared);
#endif
        __syncthreads();
        if (t == 0) {
            cp_async_bulk_tensor(space_global, space_shared, &out, begin, box);
            cp_async_bulk_commit_group();
            cp_async_bulk_wait_group_read(n32_t<0>());
        }
    }
}
"""


def run(fixed: bool):
    """Launch the kernel. What it leaves in out, and what is expected: float32[48, 32] both."""
    x = np.arange(48 * 32, dtype=np.float32).reshape(48, 32)
    out = np.zeros_like(x)
    module = simulator.RawModule(code=CODE, options=("-DFIXED=1",) if fixed else ())
    kernel = module.get_function("fence_before_the_stores")
    kernel((2,), (256,), (tensor_map(x, (8, 32)), tensor_map(out, (8, 32)), np.int32(3)))
    return out, 2 * x
