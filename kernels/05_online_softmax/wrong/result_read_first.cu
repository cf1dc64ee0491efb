// merge must get uninitialized_read on line 15: adds to a result that nobody has written yet
struct __align__(8) Pair {
    float max, sum;
};

__device__ void merge_into(Pair a, Pair b, Pair& both) {
    if (b.max == -INFINITY) {
        both = a;
    } else if (a.max == -INFINITY) {
        both = b;
    } else if (a.max > b.max) {
        both.max = a.max;
        both.sum = a.sum + b.sum * expf(b.max - a.max);
    } else {
        both.sum = b.sum + both.sum * expf(a.max - b.max);
        both.max = b.max;
    }
}

extern "C" __global__ void merge_pairs(const Pair* a, const Pair* b, Pair* merged, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) merge_into(a[i], b[i], merged[i]);
}
