// Attention, y = softmax(scale * q K^T) V, with an online softmax. One thread per query.
//
//   q, y   float[queries * 32], q only read, y written; rows of 32 elements
//   k, v   float[keys * 32], only read; keys: 1 or more
constexpr int DIM = 32;

extern "C" __global__ void one_query(const float* q, const float* k, const float* v, float* y,
                                     float scale, int queries, int keys) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= queries) return;
    float query[DIM], total[DIM];
    for (int d = 0; d < DIM; d++) {
        query[d] = scale * q[row * DIM + d];
        total[d] = 0.0f;
    }
    float largest = -INFINITY, sum = 0.0f;
    for (int key = 0; key < keys; key++) {
        float score = 0.0f;
        for (int d = 0; d < DIM; d++) score += query[d] * k[key * DIM + d];
        // BEGIN SOLUTION
        const float before = largest;
        largest = fmaxf(before, score);
        const float shrink = expf(before - largest);
        const float weight = expf(score - largest);
        sum = sum * shrink + weight;
        for (int d = 0; d < DIM; d++) total[d] = total[d] * shrink + weight * v[key * DIM + d];
        // END SOLUTION
    }
    for (int d = 0; d < DIM; d++) y[row * DIM + d] = total[d] / sum;
}
