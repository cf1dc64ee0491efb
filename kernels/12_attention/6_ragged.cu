// Attention over a batch of sequences of different lengths, packed one after the other.
//
//   q, y     float[all queries * 32], q only read, y written; rows of 32 elements
//   k, v     float[all keys * 32], only read
//   q_from   int[gridDim.y + 1], only read; sequence b owns the queries q_from[b] to q_from[b + 1] - 1
//   k_from   int[gridDim.y + 1], only read; the same for its keys and values
//   grid     blocks of 32 queries (x), enough for the longest sequence; one sequence per y
//   block    32 threads, one query per thread
//
// A sequence may have no queries, or no keys. A query without keys gets the output 0.
constexpr int DIM = 32, TILE = 32;

struct State {
    float largest, sum, total[DIM];
};

__device__ void add_key(State& state, const float* query, const float* key, const float* value) {
    float score = 0.0f;
    for (int d = 0; d < DIM; d++) score += query[d] * key[d];
    const float before = state.largest;
    state.largest = fmaxf(before, score);
    const float shrink = expf(before - state.largest), weight = expf(score - state.largest);
    state.sum = state.sum * shrink + weight;
    for (int d = 0; d < DIM; d++) state.total[d] = state.total[d] * shrink + weight * value[d];
}

extern "C" __global__ void ragged(const float* q, const float* k, const float* v, float* y,
                                  const int* q_from, const int* k_from, float scale) {
    __shared__ float of_k[TILE][DIM], of_v[TILE][DIM];
    State state = {-INFINITY, 0.0f, {}};
    float query[DIM] = {};
    // Your turn: this thread's query; the tiles of its sequence's keys, and add_key for each key;
    // the output.
    // BEGIN SOLUTION
    const int lane = threadIdx.x, sequence = blockIdx.y;
    const int top = q_from[sequence] + TILE * blockIdx.x;
    if (top >= q_from[sequence + 1]) return;  // the whole block: no query is left for it
    const int row = top + lane;
    const int end = k_from[sequence + 1];
    const bool works = row < q_from[sequence + 1];
    for (int d = 0; works && d < DIM; d++) query[d] = scale * q[row * DIM + d];
    for (int first = k_from[sequence]; first < end; first += TILE) {
        const int here = min(TILE, end - first);  // keys in this tile
        for (int j = 0; j < here; j++) {
            of_k[j][lane] = k[(first + j) * DIM + lane];
            of_v[j][lane] = v[(first + j) * DIM + lane];
        }
        __syncthreads();  // the tile is there
        for (int j = 0; j < here; j++) add_key(state, query, of_k[j], of_v[j]);
        __syncthreads();  // every thread has used the tile
    }
    const float share = state.sum > 0.0f ? 1.0f / state.sum : 0.0f;  // without keys: 0, not 0 / 0
    for (int d = 0; works && d < DIM; d++) y[row * DIM + d] = share * state.total[d];
    // END SOLUTION
}
