// timeout on line 7: the stride is multiplied by one, and never reaches the end
// launch: grid=1, block=32, x=noise(32), out=zeros(32), factor=int32(1)
// expect: out = 6 * x
// fixed: factor=int32(2)
extern "C" __global__ void stride_that_stays(const float* x, float* out, int factor) {
    float sum = 0.0f;
    for (int stride = 1; stride <= 32; stride *= factor) {
        sum += x[threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
