// Scores of attention with a causal mask: s[row][key] = scale * (query `row` . key `key`).
//
//   q, k   float[queries * 32] and float[keys * 32], only read; rows of 32 elements
//   s      float[queries * keys], written; -INFINITY for a key that the query must not see
//   block  32 x 8 threads; the grid covers all keys (x) and all queries (y)
//
// The queries are the last positions of a sequence of `keys` positions, so queries <= keys. A query
// sees the key at its own position and all keys before it.
constexpr int DIM = 32;

extern "C" __global__ void causal_scores(const float* q, const float* k, float* s, float scale,
                                         int queries, int keys) {
    const int key = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= queries || key >= keys) return;
    // BEGIN SOLUTION
    const bool seen = key <= row + keys - queries;
    // END SOLUTION
    float sum = 0.0f;
    for (int d = 0; d < DIM; d++) sum += q[row * DIM + d] * k[key * DIM + d];
    s[row * keys + key] = seen ? scale * sum : -INFINITY;
}
