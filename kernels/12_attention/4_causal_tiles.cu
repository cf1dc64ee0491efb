// Attention with a causal mask: 32 queries per block, one per thread; 32 keys per tile.
//
//   q, y   float[queries * 32], q only read, y written; rows of 32 elements
//   k, v   float[keys * 32], only read; keys >= queries
//   block  32 threads
//
// Query `row` is at position row + keys - queries. It sees the keys up to this position.
constexpr int DIM = 32, TILE = 32;

extern "C" __global__ void causal_tiles(const float* q, const float* k, const float* v, float* y,
                                        float scale, int queries, int keys) {
    __shared__ float of_k[TILE][DIM], of_v[TILE][DIM];
    const int lane = threadIdx.x, row = TILE * blockIdx.x + lane;
    const int position = row + keys - queries;
    float query[DIM], total[DIM];
    for (int d = 0; d < DIM; d++) {
        query[d] = row < queries ? scale * q[row * DIM + d] : 0.0f;
        total[d] = 0.0f;
    }
    float largest = -INFINITY, sum = 0.0f;
    // BEGIN SOLUTION
    const int end = min(keys, TILE * (blockIdx.x + 1) + keys - queries);
    // END SOLUTION
    for (int first = 0; first < end; first += TILE) {
        for (int j = 0; j < TILE && first + j < keys; j++) {
            of_k[j][lane] = k[(first + j) * DIM + lane];
            of_v[j][lane] = v[(first + j) * DIM + lane];
        }
        __syncthreads();
        for (int j = 0; j < TILE && first + j <= position && first + j < keys; j++) {
            float score = 0.0f;
            for (int d = 0; d < DIM; d++) score += query[d] * of_k[j][d];
            const float before = largest;
            largest = fmaxf(before, score);
            const float shrink = expf(before - largest), weight = expf(score - largest);
            sum = sum * shrink + weight;
            for (int d = 0; d < DIM; d++) total[d] = total[d] * shrink + weight * of_v[j][d];
        }
        __syncthreads();
    }
    if (row >= queries) return;
    for (int d = 0; d < DIM; d++) y[row * DIM + d] = total[d] / sum;
}
