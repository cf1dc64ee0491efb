// merge must get wrong_answer: scales by exp(max - a.max), which grows where it must shrink
struct __align__(8) Pair {
    float max, sum;
};

__device__ Pair merge(Pair a, Pair b) {
    Pair both = {-INFINITY, 0.0f};
    both.max = fmaxf(a.max, b.max);
    // Where both are empty any finite number serves: exp(-INFINITY - 0) is the 0 that is wanted.
    const float from = both.max == -INFINITY ? 0.0f : both.max;
    both.sum = a.sum * expf(from - a.max) + b.sum * expf(from - b.max);
    return both;
}

extern "C" __global__ void merge_pairs(const Pair* a, const Pair* b, Pair* merged, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) merged[i] = merge(a[i], b[i]);
}
