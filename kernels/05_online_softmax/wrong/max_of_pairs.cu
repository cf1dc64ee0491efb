// merge must get compile_error on line 8: max() of two pairs, where their maxima are meant
struct __align__(8) Pair {
    float max, sum;
};

__device__ Pair merge(Pair a, Pair b) {
    Pair both = {-INFINITY, 0.0f};
    both = max(a, b);
    // Where both are empty any finite number serves: exp(-INFINITY - 0) is the 0 that is wanted.
    const float from = both.max == -INFINITY ? 0.0f : both.max;
    both.sum = a.sum * expf(a.max - from) + b.sum * expf(b.max - from);
    return both;
}

extern "C" __global__ void merge_pairs(const Pair* a, const Pair* b, Pair* merged, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) merged[i] = merge(a[i], b[i]);
}
