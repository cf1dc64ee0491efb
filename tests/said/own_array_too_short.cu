// out_of_bounds on line 6: the last round reads one element past the end of the thread's own array
// launch: grid=1, block=32, y=zeros(32), n=int32(5)
extern "C" __global__ void own_array_too_short(float* y, int n) {
    float mine[4] = {1.0f, 2.0f, 3.0f, 4.0f};
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += mine[i];
    y[threadIdx.x] = sum;
}
