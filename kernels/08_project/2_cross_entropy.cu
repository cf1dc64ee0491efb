// Softmax with cross-entropy, forwards and backwards in one launch, one block per row.
//
//   x         float[rows][classes], only read: a row's scores; block r owns row r
//   target    int[rows], only read: the correct class, 0 to classes - 1; or -1, the row does not count
//   loss      float[rows], written: log(sum of exp(x)) - x[target]; 0 where the row does not count
//   gradient  float[rows][classes], written: softmax(x), minus 1 at the target; 0 everywhere
//             in a row that does not count
//   block     whole warps: a multiple of 32 threads, at most 1024
//   shared_mem  4 * classes bytes: room for one row
//
// Any score may be -INFINITY, except the score of the target.

// Your turn: the structures and functions that you need.
// BEGIN SOLUTION
struct __align__(8) Pair {
    float max, sum;  // the largest x so far, and the sum of exp(x - max)
};

__device__ Pair merge(Pair a, Pair b) {
    const float largest = fmaxf(a.max, b.max);
    const float from = largest == -INFINITY ? 0.0f : largest;  // both empty: no NaN
    return {largest, a.sum * __expf(a.max - from) + b.sum * __expf(b.max - from)};
}

__device__ Pair butterfly(Pair mine) {
    for (int offset = 16; offset > 0; offset /= 2) {
        mine = merge(mine, {__shfl_xor_sync(0xffffffff, mine.max, offset),
                            __shfl_xor_sync(0xffffffff, mine.sum, offset)});
    }
    return mine;
}
// END SOLUTION

extern "C" __global__ void cross_entropy(const float* x, const int* target, float* loss,
                                         float* gradient, int classes) {
    extern __shared__ float kept[];  // [classes], if you like
    // Your turn: everything.
    // BEGIN SOLUTION
    __shared__ Pair of_warp[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const float* from = x + static_cast<size_t>(blockIdx.x) * classes;
    float* to = gradient + static_cast<size_t>(blockIdx.x) * classes;
    const int right = target[blockIdx.x];
    if (right < 0) {  // the same for the whole block, so all its threads return
        for (int c = threadIdx.x; c < classes; c += blockDim.x) to[c] = 0.0f;
        if (threadIdx.x == 0) loss[blockIdx.x] = 0.0f;
        return;
    }

    Pair mine = {-INFINITY, 0.0f};
    for (int c = threadIdx.x; c < classes; c += blockDim.x) {
        kept[c] = from[c];
        mine = merge(mine, {kept[c], 1.0f});
    }
    mine = butterfly(mine);
    if (lane == 0) of_warp[warp] = mine;
    __syncthreads();  // every warp reads all pairs, and thread 0 the target's score
    const Pair all = butterfly(lane < warps ? of_warp[lane] : Pair{-INFINITY, 0.0f});

    const float share = 1.0f / all.sum;
    for (int c = threadIdx.x; c < classes; c += blockDim.x) {
        to[c] = __expf(kept[c] - all.max) * share - (c == right ? 1.0f : 0.0f);
    }
    if (threadIdx.x == 0) loss[blockIdx.x] = (all.max - kept[right]) + logf(all.sum);
    // END SOLUTION
}
