// timeout on line 21: without .noinc the arrival of a copy raises the count first, so the phase never ends
// launch: grid=2, block=128, x=ramp(256), out=zeros(256)
// expect: out = x.reshape(2, 128)[:, ::-1]
#include <cuda/ptx>
#include <cuda_pipeline.h>
using namespace cuda::ptx;

// Reverses a tile of 128 elements. The mbarrier counts the copies of all threads.
extern "C" __global__ void copies_arrive_without_noinc(const float* x, float* out) {
    __shared__ float tile[128];
    __shared__ uint64_t full;
    const int t = threadIdx.x, first = 128 * blockIdx.x;
    if (t == 0) mbarrier_init(&full, 128);
    __syncthreads();
    __pipeline_memcpy_async(&tile[t], &x[first + t], sizeof(float));
#ifdef FIXED
    cp_async_mbarrier_arrive_noinc(&full);
#else
    cp_async_mbarrier_arrive(&full);
#endif
    while (!mbarrier_try_wait_parity(&full, 0)) continue;
    out[first + t] = tile[127 - t];
}
