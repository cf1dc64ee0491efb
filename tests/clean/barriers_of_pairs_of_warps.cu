// clean: warp 2 never meets warp 0 itself, but warp 1, which met warp 0 before
// launch: grid=3, block=96, x=noise(288), out=zeros(3), last=zeros(1, np.int32), total=zeros(1)
// expect: out = x.reshape(3, 96)[:, 31]
__device__ void meet(int barrier) {
    asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory");
}
extern "C" __global__ void barriers_of_pairs_of_warps(const float* x, float* out, int* last,
                                                      float* total) {
    __shared__ float tile[96];
    const int t = threadIdx.x, warp = t / 32;
    tile[t] = x[96 * blockIdx.x + t];
    if (warp <= 1) meet(1);  // warps 0 and 1
    if (t == 0) out[blockIdx.x] = tile[31];
    if (warp == 0) meet(2);
    if (warp == 1) meet(2);  // and again: the result is written
    if (warp >= 1) meet(3);  // warps 1 and 2
    if (t == 64) {
        float sum = tile[0] + tile[40];  // of warp 0, told by warp 1; and of warp 1
        __threadfence();                 // passes on what all three did
        if (atomicAdd(last, 1) == 2) {
            for (int block = 0; block < 3; ++block) sum += ((volatile float*)out)[block];
            *total = sum;
        }
    }
}
