// Merges the (maximum, sum) pairs of two parts of a row.
//
//   a, b    Pair[n], only read; in memory float[n][2]: the maximum, then the sum
//   merged  Pair[n], written; thread i of the grid owns merged[i]
//
// A pair describes some elements x[0], x[1]...: max is the largest of them, sum adds up
// exp(x[k] - max). The pair of no elements is (-INFINITY, 0); -INFINITY - -INFINITY would be NaN.
struct __align__(8) Pair {
    float max, sum;
};

__device__ Pair merge(Pair a, Pair b) {
    Pair both = {-INFINITY, 0.0f};
    // Your turn: the pair of both parts together.
    // BEGIN SOLUTION
    both.max = fmaxf(a.max, b.max);
    // Where both are empty any finite number serves: exp(-INFINITY - 0) is the 0 that is wanted.
    const float from = both.max == -INFINITY ? 0.0f : both.max;
    both.sum = a.sum * expf(a.max - from) + b.sum * expf(b.max - from);
    // END SOLUTION
    return both;
}

extern "C" __global__ void merge_pairs(const Pair* a, const Pair* b, Pair* merged, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) merged[i] = merge(a[i], b[i]);
}
