// misaligned on line 32: the box begins 16 bytes behind a multiple of 128 bytes
// launch: grid=2, block=256, x=boxes(ramp(512).reshape(16, 32), 8, 32), bias=7 * ones(4), out=zeros(512)
// expect: out = x + 7
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
