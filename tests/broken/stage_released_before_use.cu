// data_race on line 20, with line 28: a thread gives its stage back and reads it only afterwards
// launch: grid=1, block=256, x=ramp(1536), out=zeros(1536), tiles=int32(6)
// expect: out = x.reshape(6, 256)[:, ::-1]
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

// Reverses each tile of 256 elements. Two stages belong to a pipeline of the whole block.
extern "C" __global__ void stage_released_before_use(const float* x, float* out, int tiles) {
    __shared__ alignas(16) float tile[2][256];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const int t = threadIdx.x;
    for (int k = 0, next = 0; k < tiles; k++) {
        for (; next < tiles && next < k + 2; next++) {
            pipe.producer_acquire();
            float* there = tile[next % 2];
            const float* from = x + 256 * next;
            cuda::memcpy_async(block, there, from, cuda::aligned_size_t<16>(1024), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
#ifndef FIXED
        pipe.consumer_release();
#endif
        const float* here = tile[k % 2];
        out[256 * k + t] = here[255 - t];
#ifdef FIXED
        pipe.consumer_release();
#endif
    }
}
