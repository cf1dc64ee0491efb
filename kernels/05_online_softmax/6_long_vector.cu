// Softmax of one long vector by many blocks: three launches, one kernel each.
//
//   x        float[n], only read; thread t of the whole grid owns elements t, t + T, t + 2T, ...
//            where T = gridDim.x * blockDim.x is the number of threads in the grid
//   partial  Pair[blocks]: partial[b] is the pair of the elements that block b owns
//   total    Pair[1]: the pair of all of x
//   y        float[n], written in the third launch
//   block    256 threads
struct __align__(8) Pair {
    float max, sum;  // the largest x so far, and the sum of exp(x - max)
};

__device__ Pair merge(Pair a, Pair b) {
    const float max = fmaxf(a.max, b.max);
    const float from = max == -INFINITY ? 0.0f : max;  // both empty: -INFINITY - 0, and no NaN
    return {max, a.sum * expf(a.max - from) + b.sum * expf(b.max - from)};
}

__device__ Pair butterfly(Pair mine, int apart) {
    for (; apart > 0; apart /= 2) {
        mine = merge(mine, {__shfl_xor_sync(0xffffffff, mine.max, apart),
                            __shfl_xor_sync(0xffffffff, mine.sum, apart)});
    }
    return mine;
}

// The pair of the whole block, in every thread. All 256 threads must call it.
__device__ Pair merge_block(Pair mine) {
    __shared__ Pair of_warp[8];
    mine = butterfly(mine, 16);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
    __syncthreads();  // every warp reads what all of them have written
    return butterfly(of_warp[threadIdx.x % 8], 4);
}

// First launch, any number of blocks: the pair of each block's elements.
extern "C" __global__ void block_pairs(const float* x, Pair* partial, int n) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    // BEGIN SOLUTION
    Pair mine = {-INFINITY, 0.0f};
    for (int i = thread; i < n; i += threads) mine = merge(mine, {x[i], 1.0f});
    mine = merge_block(mine);
    if (threadIdx.x == 0) partial[blockIdx.x] = mine;
    // END SOLUTION
}

// Second launch, one block: the pair of all of x, from any number of partial pairs.
extern "C" __global__ void merge_partials(const Pair* partial, Pair* total, int blocks) {
    // BEGIN SOLUTION
    Pair mine = {-INFINITY, 0.0f};
    for (int b = threadIdx.x; b < blocks; b += blockDim.x) mine = merge(mine, partial[b]);
    mine = merge_block(mine);
    if (threadIdx.x == 0) *total = mine;
    // END SOLUTION
}

// Third launch, any number of blocks: the output.
extern "C" __global__ void normalize(const float* x, const Pair* total, float* y, int n) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    const Pair all = *total;
    for (int i = thread; i < n; i += threads) y[i] = expf(x[i] - all.max) / all.sum;
}
