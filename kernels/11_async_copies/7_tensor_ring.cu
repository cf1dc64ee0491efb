// c = a * b on tensor cores. A producer warp brings slices of a and b, two consumer warps multiply.
//
//   a      half[k / 8][32 * gridDim.x][8]: slices of 8 columns, with all rows of a
//   b      half[k / 8][16 * gridDim.y][8]: slices of 8 rows, with all columns of b
//   c      float[32 * gridDim.x][16 * gridDim.y], written; each block has 32 x 16 of its elements
//   k      a multiple of 32; a and b begin at multiples of 16 bytes
//   block  96 threads: warps 0 and 1 multiply, warp 2 copies
#include <cuda/ptx>
#include <cuda_fp16.h>
using namespace cuda::ptx;

constexpr int STAGES = 3;

struct alignas(16) Stage {  // what a block needs of 4 slices: 2,048 bytes of a, 1,024 bytes of b
    half a[4][32][8], b[4][16][8];
};

__device__ unsigned two(const half* at) {
    return *reinterpret_cast<const unsigned*>(at);
}

// Adds the products of a stage to the warp's 16 x 16 elements of c.
__device__ void multiply(float (&d)[2][4], const Stage& stage) {
    const int group = threadIdx.x % 32 / 4, column = 2 * (threadIdx.x % 4);
    const int top = threadIdx.x / 32 * 16 + group;
    for (int i = 0; i < 4; i += 2) {
        const half(*left)[8] = stage.a[i], (*right)[8] = stage.a[i + 1];
        for (int n = 0; n < 2; n++) {
            const half *b = stage.b[i][8 * n + group], *below = stage.b[i + 1][8 * n + group];
            asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, "
                "%7}, {%8, %9}, {%0, %1, %2, %3};"
                : "+f"(d[n][0]), "+f"(d[n][1]), "+f"(d[n][2]), "+f"(d[n][3])
                : "r"(two(&left[top][column])), "r"(two(&left[top + 8][column])),
                  "r"(two(&right[top][column])), "r"(two(&right[top + 8][column])),
                  "r"(two(b + column)), "r"(two(below + column)));
        }
    }
}

extern "C" __global__ void tensor_ring(const half* a, const half* b, float* c, int k) {
    __shared__ Stage stage[STAGES];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, steps = k / 32;
    const int top = 32 * blockIdx.x, left = 16 * blockIdx.y;  // where the block's part of c begins
    const int rows = 32 * gridDim.x, columns = 16 * gridDim.y;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) mbarrier_init(&full[s], 1), mbarrier_init(&empty[s], 64);
        fence_proxy_async(space_shared);
    }
    __syncthreads();
    float d[2][4] = {};  // d[n]: columns 8 n to 8 n + 7
    // Your turn: warp 2 fills the stages, with four slices per step. Warps 0 and 1 multiply.
    // BEGIN SOLUTION
    for (int step = 0; step < steps; step++) {
        const int s = step % STAGES, use = step / STAGES;
        if (warp < 2) {
            while (!mbarrier_try_wait_parity(&full[s], use % 2)) continue;
            multiply(d, stage[s]);
            mbarrier_arrive(sem_release, scope_cta, space_shared, &empty[s]);
        } else if (lane == 0) {
            while (!mbarrier_try_wait_parity(&empty[s], (use + 1) % 2)) continue;
            mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full[s], 3072);
            for (int i = 0; i < 4; i++) {
                const size_t slice = 4 * step + i;
                cp_async_bulk(space_cluster, space_global, stage[s].a[i],
                              a + (slice * rows + top) * 8, 512, &full[s]);
                cp_async_bulk(space_cluster, space_global, stage[s].b[i],
                              b + (slice * columns + left) * 8, 256, &full[s]);
            }
        }
    }
    // END SOLUTION
    if (warp == 2) return;
    const int row = top + 16 * warp + lane / 4, column = left + 2 * (lane % 4);
    float *above = c + (size_t)row * columns + column, *below = above + 8 * columns;
    for (int n = 0; n < 2; n++) {
        above[8 * n] = d[n][0], above[8 * n + 1] = d[n][1];
        below[8 * n] = d[n][2], below[8 * n + 1] = d[n][3];
    }
}
