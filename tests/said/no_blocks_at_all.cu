// launch_error: the grid of the launch has no block
// launch: grid=0, block=32, y=zeros(32)
extern "C" __global__ void no_blocks_at_all(float* y) {
    y[threadIdx.x] = 1.0f;
}
