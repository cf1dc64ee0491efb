// shuffle_divergence on line 5: the lanes of one shuffle pass two different masks
// launch: grid=1, block=32, y=zeros(32)
extern "C" __global__ void two_masks_in_one_shuffle(float* y) {
    const unsigned mask = threadIdx.x < 16 ? 0xffffffffu : 0xffff0000u;
    y[threadIdx.x] = __shfl_xor_sync(mask, float(threadIdx.x), 1);
}
