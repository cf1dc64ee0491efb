// barrier_divergence on line 8: half of the block waits, and the others continue past the end of the array
// launch: grid=1, block=64, y=zeros(64)
extern "C" __global__ void barrier_for_half_of_a_block(float* y) {
    __shared__ float tile[64];

    if (threadIdx.x < 32) {
        tile[threadIdx.x] = 1.0f;
        __syncthreads();
        tile[threadIdx.x + 32] = 1.0f;
    }
    y[1000 + threadIdx.x] = 1.0f;
}
