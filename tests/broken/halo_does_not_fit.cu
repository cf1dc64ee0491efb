// out_of_bounds on line 13: a tile of 64 has no room for the two cells of the halo
// launch: grid=1, block=64, x=noise(66), out=zeros(64)
// expect: out = x[:-2] + x[2:]
#ifdef FIXED
#define CELLS 66
#else
#define CELLS 64
#endif
extern "C" __global__ void halo_does_not_fit(const float* x, float* out) {
    __shared__ float tile[CELLS];
    const int t = threadIdx.x;
    tile[t] = x[t];
    if (t < 2) tile[t + 64] = x[t + 64];
    __syncthreads();
    out[t] = tile[t] + tile[t + 2];
}
