// The last phase of attention: y = p V, four rows per block, 32 keys per tile.
//
//   p      float[4 * gridDim.x * keys], only read; the weights, rows of `keys` elements
//   v, y   float[keys * 32] and float[4 * gridDim.x * 32], v only read, y written
//   block  128 threads, one warp per row
constexpr int DIM = 32, TILE = 32;

extern "C" __global__ void short_tile(const float* p, const float* v, float* y, int keys) {
    __shared__ float of_v[TILE][DIM];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = 4 * blockIdx.x + warp;
    float total = 0.0f;
    for (int first = 0; first < keys; first += TILE) {
        for (int j = warp; j < TILE; j += 4) {
            // BEGIN SOLUTION
            if (first + j < keys) of_v[j][lane] = v[(first + j) * DIM + lane];
            // END SOLUTION
        }
        __syncthreads();
        const float weight = first + lane < keys ? p[row * keys + first + lane] : 0.0f;
        for (int j = 0; j < TILE; j++) total += __shfl_sync(~0u, weight, j) * of_v[j][lane];
        __syncthreads();
    }
    y[row * DIM + lane] = total;
}
