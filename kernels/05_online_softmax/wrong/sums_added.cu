// merge must get wrong_answer: the sums count from two maxima and are added as they are
struct __align__(8) Pair {
    float max, sum;
};

__device__ Pair merge(Pair a, Pair b) {
    Pair both = {-INFINITY, 0.0f};
    both.max = fmaxf(a.max, b.max);
    both.sum = a.sum + b.sum;
    return both;
}

extern "C" __global__ void merge_pairs(const Pair* a, const Pair* b, Pair* merged, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) merged[i] = merge(a[i], b[i]);
}
