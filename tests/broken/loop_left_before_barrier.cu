// barrier_divergence on line 17: a thread that has finished leaves the loop, and the others wait for it
// launch: grid=1, block=32, x=ramp(32), out=zeros(32, int32)
// expect: out = np.arange(32)
extern "C" __global__ void loop_left_before_barrier(const float* x, int* out) {
    float rest = x[threadIdx.x];
    int steps = 0;
#ifdef FIXED
    while (__syncthreads_or(rest > 0.0f)) {
        if (rest > 0.0f) ++steps;
        rest -= 1.0f;
    }
#else
    while (true) {
        if (rest <= 0.0f) break;
        rest -= 1.0f;
        ++steps;
        __syncthreads();
    }
#endif
    out[threadIdx.x] = steps;
}
