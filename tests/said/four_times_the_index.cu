// out_of_bounds on line 4: an index counts elements, but this one counts bytes
// launch: grid=1, block=64, x=ramp(60), out=zeros(64)
extern "C" __global__ void four_times_the_index(const float* x, float* out) {
    if (threadIdx.x < 60) out[threadIdx.x] = x[threadIdx.x * sizeof(float)];
}
