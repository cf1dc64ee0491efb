// out_of_bounds on line 10: odd numbers never reach zero, and the stack overflows
// launch: grid=1, block=32, n=np.full(32, 7, int32), out=zeros(32, int32)
// expect: out = np.full(32, 4)
__device__ __noinline__ int halves(int n) {
#ifdef FIXED
    if (n <= 0) return 0;
#else
    if (n == 0) return 0;
#endif
    const int below = halves(n - 2);
    return below + 1 + (below < 0);
}
extern "C" __global__ void recursion_without_end(const int* n, int* out) {
    out[threadIdx.x] = halves(n[threadIdx.x]);
}
