"""misaligned: a box in shared memory begins 16 bytes behind a header; it needs 128 bytes."""

import numpy as np

from grader.cuda import simulator, tensor_map

CODE = r"""
#include <cuda.h>
#include <cuda/ptx>
using namespace cuda::ptx;

struct Stage {
    float bias[4];
#ifdef FIXED
    alignas(128) float box[8][32];
#else
    float box[8][32];
#endif
};

// out = x + bias[0]. Each block has one box of 8 rows of 32 elements.
extern "C" __global__ void box_behind_a_header(const __grid_constant__ CUtensorMap x,
                                               const float* bias, float* out) {
    __shared__ alignas(128) Stage stage;
    __shared__ uint64_t full;
    const int t = threadIdx.x, top = 8 * blockIdx.x;
    if (t < 4) stage.bias[t] = bias[t];
    if (t == 0) {
        mbarrier_init(&full, 1);
        fence_proxy_async(space_shared);
    }
    __syncthreads();
    if (t == 0) {
        const int begin[2] = {0, top};
        mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full, 1024);
        cp_async_bulk_tensor(space_cluster, space_global, stage.box, &x, begin, &full);
    }
    while (!mbarrier_try_wait_parity(&full, 0)) continue;
    out[32 * top + t] = stage.box[t / 32][t % 32] + stage.bias[0];
}
"""


def run(fixed: bool):
    """Launch the kernel. What it leaves in out, and what is expected: float32[16, 32] both."""
    x = np.arange(16 * 32, dtype=np.float32).reshape(16, 32)
    bias, out = np.full(4, 7, np.float32), np.zeros_like(x)
    module = simulator.RawModule(code=CODE, options=("-DFIXED=1",) if fixed else ())
    kernel = module.get_function("box_behind_a_header")
    kernel((2,), (256,), (tensor_map(x, (8, 32)), bias, out))
    return out, x + 7
