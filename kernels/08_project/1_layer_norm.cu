// Layer norm, one block per row: y = (x - mean) / sqrt(variance + epsilon) * weight + bias.
//
//   x, y          float[rows][columns], x only read, y written; block r owns row r
//   weight, bias  float[columns], only read
//   block         whole warps: a multiple of 32 threads, at most 1024
//
// variance is the mean of the squared distances from the row's mean; columns may be any number.
struct Welford {
    float n, mean, m2;  // how many numbers, their mean, the sum of squared distances from it
};

__device__ Welford merge(Welford a, Welford b) {
    // Your turn: the triple of both parts together. One or both may be empty, {0, 0, 0}.
    // BEGIN SOLUTION
    const float n = a.n + b.n;
    const float share = n == 0.0f ? 0.0f : b.n / n;  // both empty: not 0 / 0
    const float delta = b.mean - a.mean;
    return {n, a.mean + delta * share, a.m2 + b.m2 + delta * delta * a.n * share};
    // END SOLUTION
}

__device__ Welford butterfly(Welford mine) {
    for (int offset = 16; offset > 0; offset /= 2) {
        mine = merge(mine, {__shfl_xor_sync(0xffffffff, mine.n, offset),
                            __shfl_xor_sync(0xffffffff, mine.mean, offset),
                            __shfl_xor_sync(0xffffffff, mine.m2, offset)});
    }
    return mine;
}

extern "C" __global__ void layer_norm(const float* x, const float* weight, const float* bias,
                                      float* y, int columns, float epsilon) {
    __shared__ Welford of_warp[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const float* from = x + static_cast<size_t>(blockIdx.x) * columns;
    float* to = y + static_cast<size_t>(blockIdx.x) * columns;
    // Your turn: compute the triple of the thread, then of the warp, then of the block; write y.
    // BEGIN SOLUTION
    Welford mine = {0.0f, 0.0f, 0.0f};
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        const float value = from[c], delta = value - mine.mean;
        mine.n += 1.0f;
        mine.mean += delta / mine.n;
        mine.m2 += delta * (value - mine.mean);  // from the old mean, and from the new one
    }

    mine = butterfly(mine);
    if (lane == 0) of_warp[warp] = mine;
    __syncthreads();  // every warp reads what all of them have written
    const Welford all = butterfly(lane < warps ? of_warp[lane] : Welford{0.0f, 0.0f, 0.0f});

    const float scale = rsqrtf(all.m2 / all.n + epsilon);
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        to[c] = (from[c] - all.mean) * scale * weight[c] + bias[c];
    }
    // END SOLUTION
}
