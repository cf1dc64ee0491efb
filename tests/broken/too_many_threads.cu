// launch_error: 32 times 64 is more than the 1,024 threads that a block may have
// launch: grid=1, block=(32, 64), x=ramp(2048), out=zeros(2048)
// expect: out = x
// fixed: grid=(1, 2), block=(32, 32)
extern "C" __global__ void too_many_threads(const float* x, float* out) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    out[row * 32 + threadIdx.x] = x[row * 32 + threadIdx.x];
}
