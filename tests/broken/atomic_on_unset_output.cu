// uninitialized_read on line 6: an atomic adds to an element that nothing has written
// launch: grid=2, block=32, x=noise(64), total=empty(1)
// expect: total = x.sum()
// fixed: total=zeros(1)
extern "C" __global__ void atomic_on_unset_output(const float* x, float* total) {
    atomicAdd(total, x[blockIdx.x * 32 + threadIdx.x]);
}
