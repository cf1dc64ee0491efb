// out_of_bounds on line 9: -1 stands for "no neighbour" and is used as an index
// launch: grid=1, block=64, x=noise(64), next=np.arange(64, dtype=int32) - 1, out=zeros(64)
// expect: out = np.append(0, x[:-1])
extern "C" __global__ void gather_without_check(const float* x, const int* next, float* out) {
    const int from = next[threadIdx.x];
#ifdef FIXED
    out[threadIdx.x] = from < 0 ? 0.0f : x[from];
#else
    out[threadIdx.x] = x[from];
#endif
}
