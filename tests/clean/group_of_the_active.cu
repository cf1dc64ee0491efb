// clean: those who are in the branch form a group and add with one atomic
// launch: grid=2, block=64, x=noise(128), count=zeros(1, int32), out=zeros(128)
// expect: count = (x > 0).sum()
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void group_of_the_active(const float* x, int* count, float* out) {
    const float v = x[blockIdx.x * 64 + threadIdx.x];
    if (v > 0.0f) {
        const cg::coalesced_group active = cg::coalesced_threads();
        int first;
        if (active.thread_rank() == 0) first = atomicAdd(count, active.size());
        first = active.shfl(first, 0);
        out[first + active.thread_rank()] = v;
        active.sync();
    }
}
