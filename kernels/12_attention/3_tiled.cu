// Attention, y = softmax(scale * q K^T) V: 16 queries per block, 32 keys per tile.
//
//   q, y   float[queries * 32], q only read, y written; rows of 32 elements
//   k, v   float[keys * 32], only read; keys: 1 or more
//   lse    float[queries], written; log(sum of exp(score)) over all keys
//   block  128 threads: warp w owns rows 4 w to 4 w + 3 of the block's 16
constexpr int DIM = 32, ROWS = 16, KEYS = 32;

__device__ float max_of_lanes(float mine) {
    for (int apart = 16; apart > 0; apart /= 2) {
        mine = fmaxf(mine, __shfl_xor_sync(~0u, mine, apart));
    }
    return mine;
}

__device__ float sum_of_lanes(float mine) {
    for (int apart = 16; apart > 0; apart /= 2) mine += __shfl_xor_sync(~0u, mine, apart);
    return mine;
}

extern "C" __global__ void tiled(const float* q, const float* k, const float* v, float* y,
                                 float* lse, float scale, int queries, int keys) {
    __shared__ float of_q[ROWS][DIM], of_k[KEYS][DIM + 1], of_v[KEYS][DIM];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int top = ROWS * blockIdx.x + 4 * warp;  // the first of this warp's four rows
    float largest[4], sum[4], total[4];            // total[r]: element `lane` of row top + r
    for (int r = 0; r < 4; r++) {
        largest[r] = -INFINITY;
        sum[r] = total[r] = 0.0f;
        of_q[4 * warp + r][lane] = top + r < queries ? scale * q[(top + r) * DIM + lane] : 0.0f;
    }
    for (int first = 0; first < keys; first += KEYS) {
        // Your turn: keys first to first + 31 into of_k and of_v. Then, for each of the four rows,
        // the score of key first + lane, the new largest, sum and total.
        // BEGIN SOLUTION
        for (int j = warp; j < KEYS; j += 4) {
            const bool there = first + j < keys;
            of_k[j][lane] = there ? k[(first + j) * DIM + lane] : 0.0f;
            of_v[j][lane] = there ? v[(first + j) * DIM + lane] : 0.0f;
        }
        __syncthreads();  // the tile is there
        for (int r = 0; r < 4; r++) {
            float score = 0.0f;
            for (int d = 0; d < DIM; d++) score += of_q[4 * warp + r][d] * of_k[lane][d];
            if (first + lane >= keys) score = -INFINITY;
            const float before = largest[r];
            largest[r] = fmaxf(before, max_of_lanes(score));
            const float shrink = expf(before - largest[r]), weight = expf(score - largest[r]);
            sum[r] = sum[r] * shrink + sum_of_lanes(weight);
            total[r] *= shrink;
            for (int j = 0; j < KEYS; j++) total[r] += __shfl_sync(~0u, weight, j) * of_v[j][lane];
        }
        __syncthreads();  // every warp has used the tile
        // END SOLUTION
    }
    for (int r = 0; r < 4; r++) {
        if (top + r >= queries) continue;
        y[(top + r) * DIM + lane] = total[r] / sum[r];
        if (lane == 0) lse[top + r] = largest[r] + logf(sum[r]);
    }
}
