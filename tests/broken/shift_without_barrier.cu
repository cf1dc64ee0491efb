// data_race on line 11, with line 7: a thread reads its neighbour's cell before the neighbour has filled it
// launch: grid=2, block=64, x=ramp(128), out=zeros(128)
// expect: out = np.roll(x.reshape(2, 64), -1, axis=1)
extern "C" __global__ void shift_without_barrier(const float* x, float* out) {
    __shared__ float tile[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    tile[threadIdx.x] = x[i];
#ifdef FIXED
    __syncthreads();
#endif
    out[i] = tile[(threadIdx.x + 1) % 64];
}
