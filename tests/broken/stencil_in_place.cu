// data_race on line 11, with line 6: a block reads cells at its edge that the next block overwrites
// launch: grid=4, block=64, x=noise(257), out=zeros(256)
// expect: out = (x[:-1] + x[1:]) / 2
extern "C" __global__ void stencil_in_place(float* x, float* out) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    const float mean = (x[i] + x[i + 1]) / 2.0f;
    __syncthreads();
#ifdef FIXED
    out[i] = mean;
#else
    x[i] = mean;
#endif
}
