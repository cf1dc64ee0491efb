// clean: warps leave their sums, the first warp adds them up; a second round reuses the array
// launch: grid=1, block=THREADS, x=noise(THREADS), out=zeros(THREADS)
// expect: out = np.exp(x - x.max()) / np.exp(x - x.max()).sum()
// each: THREADS = 32, 48, 96, 1024
__device__ float across_warp(float v, bool largest, unsigned mask) {
    for (int s = 16; s > 0; s /= 2) {
        const float other = __shfl_xor_sync(mask, v, s);
        v = largest ? fmaxf(v, other) : v + other;
    }
    return v;
}
__device__ float across_block(float v, bool largest) {
    __shared__ float partial[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = (blockDim.x + 31) / 32;
    const float nothing = largest ? -INFINITY : 0.0f;
    __syncthreads();
    // A last warp that is not full goes lane by lane through memory.
    __shared__ float rest[32];
    if (blockDim.x - warp * 32 < 32) {
        rest[lane] = v;
        __syncwarp();
        v = nothing;
        for (int k = 0; k < blockDim.x % 32; ++k) v = largest ? fmaxf(v, rest[k]) : v + rest[k];
    } else {
        v = across_warp(v, largest, 0xffffffff);
    }
    if (lane == 0) partial[warp] = v;
    __syncthreads();
    v = nothing;
    for (int w = 0; w < warps; ++w) v = largest ? fmaxf(v, partial[w]) : v + partial[w];
    return v;
}
extern "C" __global__ void reduce_two_levels(const float* x, float* out) {
    const float v = x[threadIdx.x];
    const float weight = expf(v - across_block(v, true));
    out[threadIdx.x] = weight / across_block(weight, false);
}
