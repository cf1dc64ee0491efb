// clean: the next tile is copied while this one is summed
// launch: grid=1, block=32, x=noise(256), out=zeros(32)
// expect: out = x.reshape(8, 32)[:, ::-1].sum(axis=0)
extern "C" __global__ void async_copies_in_two_stages(const float* x, float* out) {
    __shared__ float tile[2][32];
    const int t = threadIdx.x;
    float sum = 0.0f;
    for (int step = 0; step <= 8; ++step) {
        if (step < 8) {
            const unsigned cell = (unsigned)__cvta_generic_to_shared(&tile[step % 2][t]);
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(cell),
                         "l"(x + step * 32 + t));
        }
        asm volatile("cp.async.commit_group;");
        if (step == 0) continue;
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        sum += tile[(step - 1) % 2][31 - t];
        __syncthreads();
    }
    out[t] = sum;
}
