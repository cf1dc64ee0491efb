// uninitialized_read on line 19: the last rounds commit no empty group, so the wait for "all but one" leaves out the last row
// launch: grid=1, block=128, x=ramp(768), out=zeros(128), rows=int32(6)
// expect: out = x.reshape(6, 128).sum(axis=0)
#include <cuda_pipeline.h>

// Thread t adds column t of x. Two rows are under way ahead of the sum.
extern "C" __global__ void tail_without_empty_groups(const float* x, float* out, int rows) {
    __shared__ float row[3][128];
    const int t = threadIdx.x;
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&row[k][t], &x[128 * k + t], sizeof(float));
        __pipeline_commit();
    }
    float sum = 0.0f;
    for (int k = 0; k < rows; k++) {
        __pipeline_wait_prior(1);
        // Each thread reads only what it has copied itself, so no barrier is needed.
        const float* here = row[k % 3];
        sum += here[t];
        if (k + 2 < rows) {
            __pipeline_memcpy_async(&row[(k + 2) % 3][t], &x[128 * (k + 2) + t], sizeof(float));
#ifndef FIXED
            __pipeline_commit();
#endif
        }
#ifdef FIXED
        __pipeline_commit();
#endif
    }
    out[t] = sum;
}
