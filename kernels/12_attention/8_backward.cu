// Gradients of attention, y = softmax(scale * q K^T) V. Three kernels, one warp per row.
//
//   q, y, dy, dq   float[queries * 32]; dy is the gradient of y; dq is written
//   k, v, dk, dv   float[keys * 32]; dk and dv are written
//   lse            float[queries], only read; log(sum of exp(score)), saved by the forward pass
//   delta          float[queries], written by `deltas`, read by the others; the sum of dy * y
//   block          128 threads; warp w of block b owns row 4 b + w: a query, or a key in key_gradients
constexpr int DIM = 32;

__device__ float sum_of_lanes(float mine) {
    for (int apart = 16; apart > 0; apart /= 2) mine += __shfl_xor_sync(~0u, mine, apart);
    return mine;
}

extern "C" __global__ void deltas(const float* y, const float* dy, float* delta, int queries) {
    const int row = 4 * blockIdx.x + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= queries) return;
    // BEGIN SOLUTION
    const float sum = sum_of_lanes(dy[row * DIM + lane] * y[row * DIM + lane]);
    if (lane == 0) delta[row] = sum;
    // END SOLUTION
}

extern "C" __global__ void key_gradients(const float* q, const float* k, const float* v,
                                         const float* dy, const float* lse, const float* delta,
                                         float* dk, float* dv, float scale, int queries, int keys) {
    const int key = 4 * blockIdx.x + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (key >= keys) return;
    // BEGIN SOLUTION
    const float of_k = k[key * DIM + lane], of_v = v[key * DIM + lane];
    float sum_k = 0.0f, sum_v = 0.0f;
    for (int row = 0; row < queries; row++) {
        const float of_q = q[row * DIM + lane], of_dy = dy[row * DIM + lane];
        const float weight = expf(scale * sum_of_lanes(of_q * of_k) - lse[row]);
        const float of_score = weight * (sum_of_lanes(of_dy * of_v) - delta[row]);
        sum_v += weight * of_dy;
        sum_k += scale * of_score * of_q;
    }
    dk[key * DIM + lane] = sum_k;
    dv[key * DIM + lane] = sum_v;
    // END SOLUTION
}

extern "C" __global__ void query_gradients(const float* q, const float* k, const float* v,
                                           const float* dy, const float* lse, const float* delta,
                                           float* dq, float scale, int queries, int keys) {
    const int row = 4 * blockIdx.x + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= queries) return;
    // BEGIN SOLUTION
    const float of_q = q[row * DIM + lane], of_dy = dy[row * DIM + lane];
    float sum = 0.0f;
    for (int key = 0; key < keys; key++) {
        const float of_k = k[key * DIM + lane], of_v = v[key * DIM + lane];
        const float weight = expf(scale * sum_of_lanes(of_q * of_k) - lse[row]);
        const float of_score = weight * (sum_of_lanes(of_dy * of_v) - delta[row]);
        sum += scale * of_score * of_k;
    }
    dq[row * DIM + lane] = sum;
    // END SOLUTION
}
