// Row softmax, several blocks per row, the second of two launches: the result.
//
//   x, y     float[rows][columns], x only read, y written; columns: a multiple of 4
//   partial  Pair[rows][parts], only read: what the first launch found
//   grid     (parts, rows of this launch), in reverse order: block (b, r) owns row first_row + rows -
//            1 - r. The row has B batches; the block owns batches B - 1 - b, B - 1 - b - parts ...
//            A batch is 1,024 packs; thread t owns packs t, t + 256 ... of it
//   block    256 threads
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {  // N values that are loaded and stored as one
    T element[N];
};

struct __align__(8) Pair {
    float max, sum;  // the largest x so far, and the sum of exp(x - max)
};

__device__ Pair merge(Pair a, Pair b) {
    const float max = fmaxf(a.max, b.max);
    const float from = max == -INFINITY ? 0.0f : max;  // both empty: -INFINITY - 0, and no NaN
    return {max, a.sum * __expf(a.max - from) + b.sum * __expf(b.max - from)};
}

__device__ Pair butterfly(Pair mine, int offset) {
    for (; offset > 0; offset /= 2) {
        mine = merge(mine, {__shfl_xor_sync(0xffffffff, mine.max, offset),
                            __shfl_xor_sync(0xffffffff, mine.sum, offset)});
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

// Loads this thread's packs of a batch, all in flight together; -INFINITY beyond the row's end.
__device__ void load(Pack<float, 4>* batch, const float* row, int number, int packs) {
    for (int k = 0; k < 4; k++) {
        const int p = number * 1024 + k * 256 + threadIdx.x;
        for (int i = 0; i < 4; i++) batch[k].element[i] = -INFINITY;
        if (p < packs) batch[k] = reinterpret_cast<const Pack<float, 4>*>(row)[p];
    }
}

extern "C" __global__ void write_parts(const float* x, const Pair* partial, float* y, int first_row,
                                       int columns) {
    // Last row and last batch first: what was read last is what the L2 cache still holds.
    const size_t row = first_row + gridDim.y - 1 - blockIdx.y;
    Pair all = {-INFINITY, 0.0f};
    for (int b = threadIdx.x; b < gridDim.x; b += 256) {
        all = merge(all, partial[row * gridDim.x + b]);
    }
    all = merge_block(all);
    const float share = 1.0f / all.sum;

    Pack<float, 4> batch[4];
    for (int b = (columns + 4095) / 4096 - 1 - blockIdx.x; b >= 0; b -= gridDim.x) {
        load(batch, x + row * columns, b, columns / 4);
        for (int k = 0; k < 4; k++) {
            const int p = b * 1024 + k * 256 + threadIdx.x;
            for (float& value : batch[k].element) value = __expf(value - all.max) * share;
            if (p < columns / 4) {
                __stcs(reinterpret_cast<float4*>(y + row * columns) + p,
                       reinterpret_cast<float4&>(batch[k]));
            }
        }
    }
}
