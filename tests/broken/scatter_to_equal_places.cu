// data_race on line 9: two threads have the same destination and add without an atomic
// launch: grid=2, block=64, x=ones(128), to=dice(128, 100), out=zeros(100)
// expect: out = np.bincount(to, minlength=100)
extern "C" __global__ void scatter_to_equal_places(const float* x, const int* to, float* out) {
    const int i = blockIdx.x * 64 + threadIdx.x;
#ifdef FIXED
    atomicAdd(&out[to[i]], x[i]);
#else
    out[to[i]] += x[i];
#endif
}
