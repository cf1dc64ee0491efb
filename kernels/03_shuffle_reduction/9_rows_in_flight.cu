// Sum of every row of a matrix: LANES lanes per row, ROWS rows at a time, PACKS packs of each.
//
//   x      float[rows][columns], only read, at any address of a float; any number of columns
//   total  float[rows], written
//   block  whole warps: a multiple of 32 threads. LANES neighbouring threads are a group.
//          The G = blockDim.x / LANES groups of a block own G * ROWS neighbouring rows. Group g
//          owns rows g, g + G, g + 2 G, ... of these.
//
// A row may begin anywhere. Its packs begin on 16-byte boundaries. The first lanes also add the
// elements before the first pack and after the last, at most 3 each.
struct alignas(16) Pack {
    float element[4];
};

template <int LANES, int PACKS, int ROWS>
__device__ void row_sums(const float* x, float* total, int rows, int columns) {
    const int lane = threadIdx.x % LANES, groups = blockDim.x / LANES;
    const size_t first = static_cast<size_t>(blockIdx.x) * groups * ROWS + threadIdx.x / LANES;
    Pack batch[ROWS][PACKS];
    float sum[ROWS];
    int head[ROWS], packs[ROWS];
    int most = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const size_t row = first + r * groups;
        const float* from = x + row * columns;
        head[r] = min(static_cast<int>(-(reinterpret_cast<size_t>(from) / 4) % 4), columns);
        packs[r] = row < rows ? (columns - head[r]) / 4 : 0;
        const int tail = row < rows ? columns - 4 * packs[r] : 0;  // elements outside the packs
        sum[r] = lane < tail ? from[lane < head[r] ? lane : 4 * packs[r] + lane] : 0.0f;
        for (int i = lane + LANES; i < tail; i += LANES) {  // for groups of fewer than 6 lanes
            sum[r] += from[i < head[r] ? i : 4 * packs[r] + i];
        }
        most = max(most, packs[r]);
    }
    for (int p = lane; p < most; p += LANES * PACKS) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const size_t row = first + r * groups;
            const auto* from = reinterpret_cast<const Pack*>(x + row * columns + head[r]);
#pragma unroll
            for (int k = 0; k < PACKS; k++) {  // all in flight before the first is added
                const bool there = p + k * LANES < packs[r];
                batch[r][k] = there ? from[p + k * LANES] : Pack{};
            }
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            for (auto& pack : batch[r]) {
                sum[r] += (pack.element[0] + pack.element[1]) + (pack.element[2] + pack.element[3]);
            }
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        for (int apart = LANES / 2; apart > 0; apart /= 2) {  // stays within the row's lanes
            sum[r] += __shfl_xor_sync(~0u, sum[r], apart);
        }
        const size_t row = first + r * groups;
        if (lane == 0 && row < rows) total[row] = sum[r];
    }
}

extern "C" __global__ void __launch_bounds__(512)
    sums_of_64(const float* x, float* total, int rows, int columns) {
    row_sums<8, 2, 1>(x, total, rows, columns);
}
extern "C" __global__ void __launch_bounds__(128)
    sums_of_1024(const float* x, float* total, int rows, int columns) {
    row_sums<32, 8, 1>(x, total, rows, columns);
}
