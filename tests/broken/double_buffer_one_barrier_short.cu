// data_race on line 13: with two buffers one of two barriers is still needed
// launch: grid=1, block=64, x=noise((8, 64)), out=zeros((8, 64))
// expect: out = np.roll(x, -1, axis=1)
extern "C" __global__ void double_buffer_one_barrier_short(const float* x, float* out) {
    __shared__ float buffer[2][64];
    const int t = threadIdx.x;
    buffer[0][t] = x[t];
    for (int step = 0; step < 8; ++step) {
#ifdef FIXED
        __syncthreads();
#endif
        if (step < 7) buffer[(step + 1) % 2][t] = x[(step + 1) * 64 + t];
        out[step * 64 + t] = buffer[step % 2][(t + 1) % 64];
    }
}
