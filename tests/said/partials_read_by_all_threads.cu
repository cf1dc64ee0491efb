// out_of_bounds on line 4: there is one partial result per block, but every thread reads one
// launch: grid=4, block=64, partial=ramp(4), out=zeros(256)
extern "C" __global__ void partials_read_by_all_threads(const float* partial, float* out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = partial[threadIdx.x];
}
