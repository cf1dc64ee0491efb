// clean: one atomic a warp, places by popcount of those below
// launch: grid=4, block=64, x=noise(250), out=empty(250), count=zeros(1, int32), n=int32(250)
// expect: count = (x > 0).sum()
extern "C" __global__ void warp_aggregated_append(const float* x, float* out, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const bool keep = x[i] > 0.0f;
    if (keep) {
        const unsigned mask = __activemask(), lane = threadIdx.x % 32;
        const int leader = __ffs(mask) - 1;
        int first;
        if (lane == leader) first = atomicAdd(count, __popc(mask));
        first = __shfl_sync(mask, first, leader);
        out[first + __popc(mask & ((1u << lane) - 1))] = x[i];
    }
}
