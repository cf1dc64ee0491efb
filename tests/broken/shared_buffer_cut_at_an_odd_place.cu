// misaligned on line 12: after three floats the shared buffer is not aligned for double
// launch: grid=1, block=32, shared_mem=272, x=noise(32), out=zeros(32)
// expect: out = x
extern "C" __global__ void shared_buffer_cut_at_an_odd_place(const float* x, float* out) {
    extern __shared__ double buffer[];
    float* head = reinterpret_cast<float*>(buffer);
#ifdef FIXED
    double* sums = reinterpret_cast<double*>(head + 4);
#else
    double* sums = reinterpret_cast<double*>(head + 3);
#endif
    sums[threadIdx.x] = x[threadIdx.x];
    out[threadIdx.x] = sums[threadIdx.x];
}
