// merge must get wrong_answer: two empty stretches, and -INFINITY - -INFINITY is NaN
struct __align__(8) Pair {
    float max, sum;
};

__device__ Pair merge(Pair a, Pair b) {
    Pair both = {-INFINITY, 0.0f};
    both.max = fmaxf(a.max, b.max);
    both.sum = a.sum * expf(a.max - both.max) + b.sum * expf(b.max - both.max);
    return both;
}

extern "C" __global__ void merge_pairs(const Pair* a, const Pair* b, Pair* merged, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) merged[i] = merge(a[i], b[i]);
}
