// Attention, y = softmax(scale * q K^T) V. One block per query, its scores in shared memory.
//
//   q, y   float[gridDim.x * 32], q only read, y written; block b owns row b
//   k, v   float[keys * 32], only read; keys: 1 or more
//   block  whole warps; dynamic shared memory for `keys` floats
constexpr int DIM = 32;

extern "C" __global__ void one_row(const float* q, const float* k, const float* v, float* y,
                                   float scale, int keys) {
    extern __shared__ float weight[];  // of each key: first its score, then exp(score - largest)
    const float* query = q + blockIdx.x * DIM;
    for (int key = threadIdx.x; key < keys; key += blockDim.x) {
        float sum = 0.0f;
        for (int d = 0; d < DIM; d++) sum += query[d] * k[key * DIM + d];
        weight[key] = scale * sum;
    }
    // BEGIN SOLUTION
    __syncthreads();  // all scores are there
    // END SOLUTION
    float largest = -INFINITY;
    for (int key = 0; key < keys; key++) largest = fmaxf(largest, weight[key]);
    // BEGIN SOLUTION
    __syncthreads();  // every thread has read all scores
    // END SOLUTION
    for (int key = threadIdx.x; key < keys; key += blockDim.x) {
        weight[key] = expf(weight[key] - largest);
    }
    // BEGIN SOLUTION
    __syncthreads();  // all weights are there
    // END SOLUTION
    if (threadIdx.x >= DIM) return;
    const int d = threadIdx.x;  // this thread's element of the row
    float sum = 0.0f, total = 0.0f;
    for (int key = 0; key < keys; key++) {
        sum += weight[key];
        total += weight[key] * v[key * DIM + d];
    }
    y[blockIdx.x * DIM + d] = total / sum;
}
