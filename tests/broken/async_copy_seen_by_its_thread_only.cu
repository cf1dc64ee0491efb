// data_race on line 15, with line 9: a thread waits for its own copies, and reads what another thread copies
// launch: grid=2, block=128, x=ramp(256), out=zeros(256)
// expect: out = x.reshape(2, 128)[:, ::-1]
#include <cuda_pipeline.h>

extern "C" __global__ void async_copy_seen_by_its_thread_only(const float* x, float* out) {
    __shared__ float tile[128];
    const int t = threadIdx.x, first = 128 * blockIdx.x;
    __pipeline_memcpy_async(&tile[t], &x[first + t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
#ifdef FIXED
    __syncthreads();
#endif
    out[first + t] = tile[127 - t];
}
