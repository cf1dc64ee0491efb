// out_of_bounds on line 10: the first thread has no left neighbour
// launch: grid=2, block=64, x=noise(128), out=zeros(128), n=int32(128)
// expect: out = np.diff(x, prepend=0)
extern "C" __global__ void halo_before_the_start(const float* x, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#ifdef FIXED
    const float left = i > 0 ? x[i - 1] : 0.0f;
#else
    const float left = x[i - 1];
#endif
    out[i] = x[i] - left;
}
