// merge must get over_budget: a path for each case, and the lanes of a warp take them in turn
struct __align__(8) Pair {
    float max, sum;
};

__device__ Pair merge(Pair a, Pair b) {
    Pair both = {-INFINITY, 0.0f};
    if (b.max == -INFINITY) return a;
    if (a.max == -INFINITY) return b;
    if (a.max > b.max) {
        both.max = a.max;
        both.sum = a.sum + b.sum * expf(b.max - a.max);
    } else {
        both.max = b.max;
        both.sum = b.sum + a.sum * expf(a.max - b.max);
    }
    return both;
}

extern "C" __global__ void merge_pairs(const Pair* a, const Pair* b, Pair* merged, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) merged[i] = merge(a[i], b[i]);
}
