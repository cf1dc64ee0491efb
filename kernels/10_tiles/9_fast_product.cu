// Matrix product c = a b without tensor cores: a block makes 128 x 128 elements, a thread 8 x 16.
//
//   a, b        float[m * k] and float[k * n], only read; m and n multiples of 128, k of 32
//   c           float[m * n], written; all three begin at a multiple of 16 bytes
//   grid        n / 128 blocks (x) by m / 128 blocks (y)
//   block       128 threads; two blocks run on a multiprocessor at the same time
//   shared_mem  65,536 bytes: two buffers, each with a tile of a and a tile of b
//
// Step by step, with the kernel of the lesson that takes the step:
//   1  tiles in shared memory                                                  4_product.cu
//   2  128 sums of a thread in registers, for 24 loaded elements               5_register_tile.cu
//   3  two buffers: the next tiles are in flight while these are used         6_two_buffers.cu
//   4  the copies are asynchronous and of 16 bytes, and need no registers      lesson 11
//   5  a swizzle for the tile of a, which is read along k: 4 elements per load 2_swizzle.cu
//   6  which lane takes which rows and columns: see `Place`
//   7  sums in registers that the compiler may choose freely: see the last lines
#include <cuda_pipeline.h>

constexpr int SIDE = 128, DEPTH = 32, THREADS = 128;  // elements of c, of a row of the tile of a
constexpr int ROWS = 8, COLS = 4;                     // of c, per thread; columns in packs
constexpr int OF_A = SIDE * DEPTH / 4, OF_B = DEPTH * SIDE / 4;  // packs of a tile
constexpr int DEEP = DEPTH / 4, WIDE = SIDE / 4;                 // packs of a row of either tile

// Step 5. Pack q of row r of the tile of a. Without the swizzle, all rows begin in the same bank.
__device__ int cell(int r, int q) {
    return DEEP * r + (q ^ r % 8);
}

// Step 6. A thread has rows y, y + 16, ..., y + 112, and packs x, x + 8, x + 16, x + 24 of a row.
// A warp has 4 x 8 such places. Shared memory serves 8 lanes with 16 bytes each at a time, or 16
// lanes if pairs of neighbours want the same pack. So lanes 0 and 1, 2 and 3, ... have the same x,
// and lanes 0 and 2, 1 and 3, ... have the same y.
struct Place {
    unsigned x, y;
    __device__ Place() {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        x = lane / 2 % 8;
        y = 4 * warp + 2 * (lane / 16) + lane % 2;
    }
};

// Steps 3 and 4: the copies of this thread. `begin` starts those of the next tiles.
struct Copies {
    const float *a, *b;             // its first pack of the next tiles
    size_t a_step, b_step, b_next;  // from pack to pack, and from one tile of b to the next
    int to_a, to_b;                 // where its first packs go
    __device__ Copies(const float* a, const float* b, int n, int k) {
        const int r = threadIdx.x / DEEP, q = threadIdx.x % DEEP;    // its pack of a: row r, pack q
        const int row = threadIdx.x / WIDE, p = threadIdx.x % WIDE;  // its pack of b
        this->a = a + (static_cast<size_t>(SIDE) * blockIdx.y + r) * k + 4 * q;
        this->b = b + static_cast<size_t>(row) * n + SIDE * blockIdx.x + 4 * p;
        a_step = static_cast<size_t>(THREADS / DEEP) * k;
        b_step = static_cast<size_t>(THREADS / WIDE) * n;
        b_next = static_cast<size_t>(DEPTH) * n;
        to_a = cell(r, q), to_b = OF_A + threadIdx.x;
    }
    __device__ void begin(float4* buffer) {
#pragma unroll
        for (int i = 0; i < OF_A / THREADS; i++) {  // 16 rows further, so the swizzle is the same
            __pipeline_memcpy_async(&buffer[to_a + i * THREADS], a + i * a_step, 16);
        }
#pragma unroll
        for (int i = 0; i < OF_B / THREADS; i++) {
            __pipeline_memcpy_async(&buffer[to_b + i * THREADS], b + i * b_step, 16);
        }
        a += DEPTH, b += b_next;
    }
};

__device__ float element(float4 pack, int i) {  // i is known to the compiler
    return i == 0 ? pack.x : i == 1 ? pack.y : i == 2 ? pack.z : pack.w;
}

// Step 2: the products of a buffer's tiles, added to the thread's sums.
__device__ void multiply(float4 (&sums)[ROWS][COLS], const float4* buffer, Place at) {
    const unsigned turn = at.y % 8;  // as in `cell`, and the same for all rows of the thread
    const float4 *rows = buffer + DEEP * at.y, *cols = buffer + OF_A + at.x;
#pragma unroll
    for (int q = 0; q < DEEP; q++) {
        float4 of_a[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++) of_a[r] = rows[DEEP * 16 * r + (q ^ turn)];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float4 of_b[COLS];
#pragma unroll
            for (int c = 0; c < COLS; c++) of_b[c] = cols[WIDE * (4 * q + j) + 8 * c];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const float factor = element(of_a[r], j);
#pragma unroll
                for (int c = 0; c < COLS; c++) {
                    sums[r][c].x += factor * of_b[c].x;
                    sums[r][c].y += factor * of_b[c].y;
                    sums[r][c].z += factor * of_b[c].z;
                    sums[r][c].w += factor * of_b[c].w;
                }
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    fast_product(const float* a, const float* b, float* c, int m, int n, int k) {
    extern __shared__ float4 buffers[];
    const Place at;
    Copies copies(a, b, n, k);
    float4 sums[ROWS][COLS] = {};
    copies.begin(buffers);
    for (int tile = 0; tile < k / DEPTH; tile++) {
        float4 *now = buffers + tile % 2 * (OF_A + OF_B),
               *next = buffers + (tile + 1) % 2 * (OF_A + OF_B);
        __pipeline_commit();
        __pipeline_wait_prior(0);  // this thread's copies have arrived
        __syncthreads();           // those of all threads, and all have used the buffer `next`
        if (tile + 1 < k / DEPTH) copies.begin(next);
        multiply(sums, now, at);
    }
    // Step 7. A store of 16 bytes takes 4 neighbouring registers. The addition of 0 moves the sums
    // there, so until now the compiler could keep them in any registers.
    c += (static_cast<size_t>(SIDE) * blockIdx.y + at.y) * n + SIDE * blockIdx.x + 4 * at.x;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#pragma unroll
        for (int p = 0; p < COLS; p++) {
            const float4 sum = sums[r][p];
            *reinterpret_cast<float4*>(c + static_cast<size_t>(16 * r) * n + 32 * p) = {
                0.0f + sum.x, 0.0f + sum.y, 0.0f + sum.z, 0.0f + sum.w};
        }
    }
}
