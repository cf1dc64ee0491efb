"""wrong_answer: the coordinates of a box begin with the row; they must begin with the column."""

import numpy as np

from grader.cuda import simulator, tensor_map

CODE = r"""
#include <cuda.h>
#include <cuda/ptx>
using namespace cuda::ptx;

// out = 2 * x. Each block has one box of 16 rows of 16 elements.
extern "C" __global__ void row_before_column(const __grid_constant__ CUtensorMap x, float* out,
                                             int columns) {
    __shared__ alignas(128) float box[16][16];
    __shared__ uint64_t full;
    const int t = threadIdx.x, left = 16 * blockIdx.x, top = 16 * blockIdx.y;
    if (t == 0) {
        mbarrier_init(&full, 1);
        fence_proxy_async(space_shared);
    }
    __syncthreads();
    if (t == 0) {
#ifdef FIXED
        const int begin[2] = {left, top};
#else
        const int begin[2] = {top, left};
#endif
        mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full, sizeof box);
        cp_async_bulk_tensor(space_cluster, space_global, box, &x, begin, &full);
    }
    while (!mbarrier_try_wait_parity(&full, 0)) continue;
    out[(top + t / 16) * columns + left + t % 16] = 2.0f * box[t / 16][t % 16];
}
"""


def run(fixed: bool):
    """Launch the kernel. What it leaves in out, and what is expected: float32[64, 32] both."""
    x = np.arange(64 * 32, dtype=np.float32).reshape(64, 32)
    out = np.zeros_like(x)
    module = simulator.RawModule(code=CODE, options=("-DFIXED=1",) if fixed else ())
    kernel = module.get_function("row_before_column")
    kernel((2, 4), (256,), (tensor_map(x, (16, 16)), out, np.int32(32)))
    return out, 2 * x
