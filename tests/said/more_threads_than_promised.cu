// launch_error: the kernel declares blocks of at most 128 threads, but the launch has more
// launch: grid=1, block=256, y=zeros(256)
extern "C" __global__ void __launch_bounds__(128) more_threads_than_promised(float* y) {
    y[threadIdx.x] = 1.0f;
}
