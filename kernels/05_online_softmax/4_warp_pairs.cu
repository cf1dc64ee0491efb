// The pairs of a warp's 32 lanes, merged by a butterfly, written in two ways.
//
//   pairs   Pair[32], only read; in memory float[32][2]; lane t starts with pairs[t]
//   merged  Pair[32], written; merged[t] is lane t's result: the pair of the whole warp
//   block   32 threads
struct __align__(8) Pair {
    float max, sum;
};

__device__ Pair merge(Pair a, Pair b) {
    const float max = fmaxf(a.max, b.max);
    const float from = max == -INFINITY ? 0.0f : max;  // both empty: -INFINITY - 0, and no NaN
    return {max, a.sum * expf(a.max - from) + b.sum * expf(b.max - from)};
}

// A shuffle for each half of the pair.
extern "C" __global__ void two_shuffles(const Pair* pairs, Pair* merged) {
    Pair mine = pairs[threadIdx.x];
    for (int apart = 16; apart > 0; apart /= 2) {
        const float max = __shfl_xor_sync(0xffffffff, mine.max, apart);
        const float sum = __shfl_xor_sync(0xffffffff, mine.sum, apart);
        mine = merge(mine, {max, sum});
    }
    merged[threadIdx.x] = mine;
}

// The pair's 64 bits as one number, and one call to exchange them.
extern "C" __global__ void one_wide_shuffle(const Pair* pairs, Pair* merged) {
    Pair mine = pairs[threadIdx.x];
    for (int apart = 16; apart > 0; apart /= 2) {
        long long bits;
        memcpy(&bits, &mine, 8);
        bits = __shfl_xor_sync(0xffffffff, bits, apart);
        Pair other;
        memcpy(&other, &bits, 8);
        mine = merge(mine, other);
    }
    merged[threadIdx.x] = mine;
}
