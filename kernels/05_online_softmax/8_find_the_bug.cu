// Merges pairs; maximum and sum are in separate arrays. One branch is wrong. Many tests pass.
//
//   max_a, sum_a, max_b, sum_b    float[n], only read: pair i is (max[i], sum[i])
//   max_out, sum_out              float[n], written: the merged pair of a and b
//
// The pair of no elements is (-INFINITY, 0).
__device__ void merge_into(float max_a, float sum_a, float max_b, float sum_b, float& max,
                           float& sum) {
    if (max_b == -INFINITY) {
        max = max_a;
        sum = sum_a;
    } else if (max_a == -INFINITY) {
        max = max_b;
        sum = sum_b;
    } else if (max_a > max_b) {
        sum = sum + sum_b * expf(max_b - max_a);
    } else {
        sum = sum_b + sum_a * expf(max_a - max_b);
        max = max_b;
    }
}

extern "C" __global__ void find_the_bug(const float* max_a, const float* sum_a, const float* max_b,
                                        const float* sum_b, float* max_out, float* sum_out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) merge_into(max_a[i], sum_a[i], max_b[i], sum_b[i], max_out[i], sum_out[i]);
}
