// c = a * b^T by products of four warps together. Each step brings one box of a and one of b.
//
//   a      half[64 * gridDim.x][k], as a tensor map: a box has 64 rows of 64 elements
//   b      half[32 * gridDim.y][k], as a tensor map: a box has 32 rows of 64 elements
//          both maps have a swizzle of 128 bytes
//   c      float[64 * gridDim.x][32 * gridDim.y], written; each block has 64 x 32 of its elements
//   k      a multiple of 64
//   block  128 threads, a warpgroup
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_fp16.h>
using namespace cuda::ptx;

__device__ void product_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ void product_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

__device__ void product_wait() {
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// Returns a descriptor: address, swizzle of 128 bytes, and 1,024 bytes between groups of eight rows.
__device__ uint64_t described(const half* at) {
    return __cvta_generic_to_shared(at) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

// Adds the product of 64 x 16 elements of a and 32 x 16 elements of b to d.
__device__ void multiply(float (&d)[16], const half* a, const half* b) {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %18, 0; "
        "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, "
        "%9, %10, %11, %12, %13, %14, %15}, "
        "%16, %17, p, 1, 1, 0, 0; }"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15])
        : "l"(described(a)), "l"(described(b)), "r"(1)
        : "memory");
}

extern "C" __global__ void warpgroup(const __grid_constant__ CUtensorMap a,
                                     const __grid_constant__ CUtensorMap b, float* c, int k) {
    __shared__ alignas(1024) half left[64][64], right[32][64];
    __shared__ uint64_t full;
    const int t = threadIdx.x;
    if (t == 0) {
        mbarrier_init(&full, 1);
        fence_proxy_async(space_shared);
    }
    __syncthreads();
    float d[16] = {};
    for (int step = 0; step < k / 64; step++) {
        if (t == 0) {
            const int of_a[2] = {64 * step, 64 * (int)blockIdx.x};
            const int of_b[2] = {64 * step, 32 * (int)blockIdx.y};
            mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full, 12288);
            cp_async_bulk_tensor(space_cluster, space_global, left, &a, of_a, &full);
            cp_async_bulk_tensor(space_cluster, space_global, right, &b, of_b, &full);
        }
        // BEGIN SOLUTION
        while (!mbarrier_try_wait_parity(&full, step % 2)) continue;
        product_fence();
        for (int i = 0; i < 64; i += 16) multiply(d, &left[0][i], &right[0][i]);
        product_commit();
        product_wait();
        __syncthreads();
        // END SOLUTION
    }
    const int row = 64 * blockIdx.x + t / 32 * 16 + t % 32 / 4;
    float* mine = c + (size_t)row * 32 * gridDim.y + 32 * blockIdx.y + 2 * (t % 4);
#pragma unroll
    for (int n = 0; n < 16; n++) mine[n / 2 % 2 * 256 * gridDim.y + n / 4 * 8 + n % 2] = d[n];
}
