// shuffle_divergence on line 4: the second warp has 16 threads, but they read lanes 16 to 31
// launch: grid=1, block=48, y=zeros(48)
extern "C" __global__ void shuffle_in_half_a_warp(float* y) {
    y[threadIdx.x] = __shfl_xor_sync(0xffffffffu, float(threadIdx.x), 16);
}
