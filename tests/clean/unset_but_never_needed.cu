// clean: what has no value is copied, shuffled and put into a tile, and nobody makes use of it
// launch: grid=1, block=64, x=noise(40), out=zeros(64), n=int32(40)
// expect: out = np.pad(np.where(x > 0, x, x[np.arange(40) // 32 * 32]), (0, 24))
extern "C" __global__ void unset_but_never_needed(const float* x, float* out, int n) {
    __shared__ float tile[64];
    const bool inside = threadIdx.x < n;
    float value, first;
    if (inside) value = x[threadIdx.x];
    tile[threadIdx.x] = value;
    if (threadIdx.x % 32 == 0) first = value;
    first = __shfl_sync(0xffffffff, first, 0);
    __syncthreads();
    const float again = tile[threadIdx.x];
    if (inside && again > 0) {
        out[threadIdx.x] = again;
    } else if (inside) {
        out[threadIdx.x] = first;
    }
}
