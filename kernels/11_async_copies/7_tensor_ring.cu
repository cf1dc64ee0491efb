// c = a * b on tensor cores. A producer warp brings slices of a and b, two consumer warps multiply.
//
//   a      half[32 * gridDim.x][k]
//   b      half[16 * gridDim.y][k]: row j has the elements of column j of the factor
//   c      float[32 * gridDim.x][16 * gridDim.y], written; each block has 32 x 16 of its elements
//   k      a multiple of 32; a and b begin at multiples of 16 bytes
//   block  96 threads: warps 0 and 1 multiply, warp 2 copies
#include <cuda/ptx>
#include <cuda_fp16.h>
using namespace cuda::ptx;

constexpr int STAGES = 3;

// 32 elements of the 32 rows of a and, after them, of the 16 rows of b. A row has 64 bytes, and 16
// more that keep the rows in different banks.
struct alignas(16) Stage {
    half row[48][40];
};

__device__ unsigned two(const half* at) {
    return *reinterpret_cast<const unsigned*>(at);
}

// Adds the products of a stage to the warp's 16 x 16 elements of c.
__device__ void multiply(float (&d)[2][4], const Stage& stage) {
    const int group = threadIdx.x % 32 / 4, column = 2 * (threadIdx.x % 4);
    const int top = threadIdx.x / 32 * 16 + group;
    for (int i = column; i < 32; i += 16) {
        const half *a = &stage.row[top][i], *below = &stage.row[top + 8][i];
        for (int n = 0; n < 2; n++) {
            const half* b = &stage.row[32 + 8 * n + group][i];
            asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, "
                "%7}, {%8, %9}, {%0, %1, %2, %3};"
                : "+f"(d[n][0]), "+f"(d[n][1]), "+f"(d[n][2]), "+f"(d[n][3])
                : "r"(two(a)), "r"(two(below)), "r"(two(a + 8)), "r"(two(below + 8)), "r"(two(b)),
                  "r"(two(b + 8)));
        }
    }
}

extern "C" __global__ void tensor_ring(const half* a, const half* b, float* c, int k) {
    __shared__ Stage stage[STAGES];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, steps = k / 32;
    const half* of_a = a + (size_t)32 * blockIdx.x * k;
    const half* of_b = b + (size_t)16 * blockIdx.y * k;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) mbarrier_init(&full[s], 1), mbarrier_init(&empty[s], 64);
        fence_proxy_async(space_shared);
    }
    __syncthreads();
    float d[2][4] = {};  // d[n]: columns 8 n to 8 n + 7
    // Your turn: warp 2 fills the stages, row by row. Warps 0 and 1 call multiply for each step.
    // BEGIN SOLUTION
    for (int step = 0; step < steps; step++) {
        const int s = step % STAGES, use = step / STAGES;
        if (warp == 2) {
            while (!mbarrier_try_wait_parity(&empty[s], (use + 1) % 2)) {}
            if (lane == 0) {
                mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full[s], 48 * 64);
            }
            for (int r = lane; r < 48; r += 32) {
                const half* from = r < 32 ? of_a + (size_t)r * k : of_b + (size_t)(r - 32) * k;
                cp_async_bulk(space_cluster, space_global, stage[s].row[r], from + 32 * step, 64,
                              &full[s]);
            }
        } else {
            while (!mbarrier_try_wait_parity(&full[s], use % 2)) {}
            multiply(d, stage[s]);
            mbarrier_arrive(sem_release, scope_cta, space_shared, &empty[s]);
        }
    }
    // END SOLUTION
    if (warp == 2) return;
    const size_t row = 32 * blockIdx.x + 16 * warp + lane / 4, columns = 16 * gridDim.y;
    float* at = c + row * columns + 16 * blockIdx.y + 2 * (lane % 4);
    for (int n = 0; n < 2; n++) {
        at[8 * n] = d[n][0], at[8 * n + 1] = d[n][1];
        at[8 * columns + 8 * n] = d[n][2], at[8 * columns + 8 * n + 1] = d[n][3];
    }
}
