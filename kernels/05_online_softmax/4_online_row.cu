// Row softmax in two passes, the pairs exchanged by shuffles.
//
//   x        float[rows][columns], only read; block r owns row r, thread t its elements t, t + 256...
//   y        float[rows][columns], written; every row of y adds up to 1
//   block    256 threads, 8 warps; one block per row
struct __align__(8) Pair {
    float max, sum;  // the largest x so far, and the sum of exp(x - max)
};

__device__ Pair merge(Pair a, Pair b) {
    const float max = fmaxf(a.max, b.max);
    const float from = max == -INFINITY ? 0.0f : max;  // both empty: -INFINITY - 0, and no NaN
    return {max, a.sum * expf(a.max - from) + b.sum * expf(b.max - from)};
}

extern "C" __global__ void online_row(const float* x, float* y, int columns) {
    __shared__ Pair of_warp[8];  // of_warp[w]: the pair of warp w's elements
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const size_t start = static_cast<size_t>(blockIdx.x) * columns;  // beyond an int for large x

    // Your turn: compute this thread's pair, merge the block's pairs, write the row.
    // BEGIN SOLUTION
    Pair mine = {-INFINITY, 0.0f};
    for (int i = threadIdx.x; i < columns; i += 256) mine = merge(mine, {x[start + i], 1.0f});

    for (int apart = 16; apart > 0; apart /= 2) {
        mine = merge(mine, {__shfl_xor_sync(0xffffffff, mine.max, apart),
                            __shfl_xor_sync(0xffffffff, mine.sum, apart)});
    }
    if (lane == 0) of_warp[warp] = mine;
    __syncthreads();  // every warp reads what all of them have written

    Pair all = of_warp[lane % 8];  // each warp merges the eight for itself: no second barrier
    for (int apart = 4; apart > 0; apart /= 2) {
        all = merge(all, {__shfl_xor_sync(0xffffffff, all.max, apart),
                          __shfl_xor_sync(0xffffffff, all.sum, apart)});
    }

    for (int i = threadIdx.x; i < columns; i += 256) {
        y[start + i] = expf(x[start + i] - all.max) / all.sum;
    }
    // END SOLUTION
}
