"""timeout: at the edge of an array a kernel expects only the bytes inside; a box always counts whole.

The array has 20 rows. The third box has rows 16 to 23, so four of its rows are outside."""

import numpy as np

from grader.cuda import simulator, tensor_map

CODE = r"""
#include <cuda.h>
#include <cuda/ptx>
using namespace cuda::ptx;

// out = 2 * x. Each block has one box of 8 rows of 32 elements.
extern "C" __global__ void edge_box_bytes(const __grid_constant__ CUtensorMap x, float* out,
                                          int rows) {
    __shared__ alignas(128) float box[8][32];
    __shared__ uint64_t full;
    const int t = threadIdx.x, top = 8 * blockIdx.x, row = top + t / 32, column = t % 32;
    if (t == 0) {
        mbarrier_init(&full, 1);
        fence_proxy_async(space_shared);
    }
    __syncthreads();
#ifdef FIXED
    const int bytes = sizeof box;
#else
    const int bytes = min(8, rows - top) * sizeof box[0];
#endif
    if (t == 0) {
        const int begin[2] = {0, top};
        mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full, bytes);
        cp_async_bulk_tensor(space_cluster, space_global, box, &x, begin, &full);
    }
    while (!mbarrier_try_wait_parity(&full, 0)) continue;
    if (row < rows) out[32 * row + column] = 2.0f * box[t / 32][column];
}
"""


def run(fixed: bool):
    """Launch the kernel. What it leaves in out, and what is expected: float32[20, 32] both."""
    x = np.arange(20 * 32, dtype=np.float32).reshape(20, 32)
    out = np.zeros_like(x)
    module = simulator.RawModule(code=CODE, options=("-DFIXED=1",) if fixed else ())
    kernel = module.get_function("edge_box_bytes")
    kernel((3,), (256,), (tensor_map(x, (8, 32)), out, np.int32(20)))
    return out, 2 * x
