// Attention for one query per head: y = softmax(scale * q K^T) V, one block per head.
//
//   q, y   float[heads][64], q only read, y written; block h owns head h
//   K, V   float[heads][keys][64], only read
//   block  whole warps: a multiple of 32 threads, at most 1024
//
// keys: 1 or more. All arrays begin at multiples of 16 bytes.
constexpr int DIM = 64;

// Your turn: the structures and functions that you need.
// BEGIN SOLUTION
__device__ float sum_of_lanes(float mine) {
    for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_xor_sync(~0u, mine, offset);
    return mine;
}
// END SOLUTION

extern "C" __global__ void attention_row(const float* q, const float* K, const float* V, float* y,
                                         float scale, int keys) {
    // Your turn: everything.
    // BEGIN SOLUTION
    __shared__ float2 pair_of_warp[32];  // largest score, sum
    __shared__ float2 total_of_warp[32][DIM / 2];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const size_t head = blockIdx.x, start = head * keys * (DIM / 2);
    const auto* keys_of = reinterpret_cast<const float2*>(K) + start;
    const auto* values_of = reinterpret_cast<const float2*>(V) + start;
    const float2 query = reinterpret_cast<const float2*>(q)[head * (DIM / 2) + lane];

    float top = -INFINITY, sum = 0.0f;  // the pair, and its third part:
    float2 total = {0.0f, 0.0f};        // the sum of exp(score - max) * value, two of 64 per lane
    for (int n = warp; n < keys; n += warps) {
        const float2 key = keys_of[n * 32 + lane], value = values_of[n * 32 + lane];
        const float score = scale * sum_of_lanes(query.x * key.x + query.y * key.y);
        const float largest = fmaxf(top, score);
        const float before = __expf(top - largest), now = __expf(score - largest);
        sum = sum * before + now;
        total = {total.x * before + now * value.x, total.y * before + now * value.y};
        top = largest;
    }
    if (lane == 0) pair_of_warp[warp] = {top, sum};
    total_of_warp[warp][lane] = total;
    __syncthreads();  // warp 0 reads what all have written
    if (warp > 0) return;

    float largest = -INFINITY;
    for (int w = 0; w < warps; w++) largest = fmaxf(largest, pair_of_warp[w].x);
    sum = 0.0f;
    total = {0.0f, 0.0f};
    for (int w = 0; w < warps; w++) {
        const float factor = __expf(pair_of_warp[w].x - largest);  // 0 for a warp without a key
        sum += factor * pair_of_warp[w].y;
        total.x += factor * total_of_warp[w][lane].x;
        total.y += factor * total_of_warp[w][lane].y;
    }
    const float share = 1.0f / sum;
    reinterpret_cast<float2*>(y)[head * (DIM / 2) + lane] = {total.x * share, total.y * share};
    // END SOLUTION
}
