// timeout on line 29: the last box is cut off by the edge, and still counts all of its bytes
// launch: grid=3, block=256, x=boxes(ramp(640).reshape(20, 32), 8, 32), out=zeros(640), rows=int32(20)
// expect: out = 2 * x
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
