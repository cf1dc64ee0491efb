// Matrix product c = a b^T of bfloat16 numbers on tensor cores; sums in float32.
//
//   a, b        bfloat16[m][k] and bfloat16[n][k], as tensor maps: a box has 128 rows of 64 elements
//   c           bfloat16[m][n], as a tensor map: a box has 64 rows of 64 elements
//               all three maps have a swizzle of 128 bytes; k and n are multiples of 8
//   grid        as many blocks as run at the same time, an even number
//   block       384 threads: a warpgroup that copies, and two that multiply
//   shared_mem  230,400 bytes
//
// Its steps, and the kernels of the lessons in which you met them:
//   1  boxes with a swizzle, and products of a warpgroup                           9_warpgroup.cu
//   2  a ring of stages, and a producer that meets the consumers at mbarriers      7_tensor_ring.cu
//   3  two warpgroups share a tile of b: 128 x 256 sums per block, 128 per thread
//   4  the products of one step are still in flight when those of the next are issued
//   5  the producer gives most of its registers to the consumers
//   6  two blocks of a cluster share each tile of b: each copies one half of it to both blocks
//   7  a block makes one tile of c after the other; while it stores one, copies for the next are in flight
//   8  tiles that run at the same time lie close together, so the L2 cache holds their factors
//   9  c goes to shared memory by matrices of 8 x 8 elements, and from there in boxes
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>
using namespace cuda::ptx;

constexpr int ROWS = 128, COLS = 256, DEEP = 64;         // of c per block; elements of k per step
constexpr int STAGES = 4, HALF = COLS / 2, GROUP = 128;  // threads of a warpgroup
constexpr int TALL =
    8;  // step 8: a cluster computes 8 tiles of a column, one below the other, and then goes to the next column

struct Shared {
    __nv_bfloat16 a[STAGES][ROWS][DEEP], b[STAGES][COLS][DEEP];
    __nv_bfloat16 c[2][2][64][64];  // two boxes for each consumer
    uint64_t full[STAGES], empty[STAGES];
};

// --- products of a warpgroup -----------------------------------------------------------------------

// Where a factor begins; rows of 128 bytes, swizzled; 1,024 bytes for eight rows.
__device__ uint64_t described(const __nv_bfloat16* at) {
    return __cvta_generic_to_shared(at) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

#define FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)

// d (64 x 256) becomes the product of 64 x 16 elements of a and 256 x 16 of b, plus d if `add`.
__device__ void multiply(float (&d)[128], uint64_t a, uint64_t b, int add) {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %130, 0; "
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, "
        "%111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, "
        "%125, %126, %127}, %128, %129, p, 1, 1, 0, 0; }"
        : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48), SIXTEEN(64), SIXTEEN(80), SIXTEEN(96),
          SIXTEEN(112)
        : "l"(a), "l"(b), "r"(add)
        : "memory");
}

__device__ void product_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ void product_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until at most NEWEST groups of products are in flight. The compiler must not move a use of d to a
// place before this.
template <int NEWEST>
__device__ void product_wait(float (&d)[128]) {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(NEWEST) : "memory");
#pragma unroll
    for (int i = 0; i < 128; i += 16) asm volatile("" : SIXTEEN(i)::"memory");
}

// --- mbarriers -------------------------------------------------------------------------------------

__device__ void wait(uint64_t* barrier, int parity) {
    while (!mbarrier_try_wait_parity(barrier, parity)) continue;
}

// Arrives at the mbarrier that lies at this place in block `rank` of the cluster.
__device__ void arrive_in(uint64_t* barrier, int rank) {
    asm volatile(
        "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; "
        "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(
            static_cast<unsigned>(__cvta_generic_to_shared(barrier))),
        "r"(rank)
        : "memory");
}

// The stage in use, and the parity of the phase that ends when it is full.
struct Ring {
    int stage = 0, parity = 0;
    __device__ void next() {
        if (++stage == STAGES) stage = 0, parity ^= 1;
    }
};

// --- tiles -----------------------------------------------------------------------------------------

// Steps 7 and 8. The tiles of a cluster have 256 x 256 elements; cluster i of C has tiles i, i + C ...
struct Tiles {
    int down, across, row, col;  // how many there are; where the present one begins
    __device__ Tiles(int m, int n) : down((m + 255) / 256), across((n + 255) / 256) {}
    __device__ bool find(int number) {
        if (number >= down * across) return false;
        const int first = number / (TALL * across) * TALL, within = number % (TALL * across);
        const int tall = min(TALL, down - first);
        row = 2 * ROWS * (first + within % tall), col = COLS * (within / tall);
        return true;
    }
};

// --- the two roles ---------------------------------------------------------------------------------

__device__ void produce(Shared& s, const CUtensorMap& a, const CUtensorMap& b, Tiles tiles,
                        int steps) {
    const int rank = blockIdx.x % 2;
    Ring ring;
    for (int i = blockIdx.x / 2; tiles.find(i); i += gridDim.x / 2) {
        for (int step = 0; step < steps; step++, ring.next()) {
            const int of_a[2] = {DEEP * step, tiles.row + ROWS * rank};
            const int of_b[2] = {DEEP * step, tiles.col + HALF * rank};
            uint64_t* full = &s.full[ring.stage];
            wait(&s.empty[ring.stage], ring.parity ^ 1);
            mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, full,
                                      sizeof s.a[0] + sizeof s.b[0]);
            cp_async_bulk_tensor(space_cluster, space_global, s.a[ring.stage], &a, of_a, full);
            cp_async_bulk_tensor(space_cluster, space_global, s.b[ring.stage][HALF * rank], &b,
                                 of_b, full, uint16_t(3));  // step 6: to blocks 0 and 1
        }
    }
}

// Step 9. Stores four matrices. Lane l gives the address of row l % 8 of matrix l / 8.
__device__ void store_matrices(__nv_bfloat16* at, const float* d) {
    const __nv_bfloat162 words[4] = {
        __floats2bfloat162_rn(d[0], d[1]), __floats2bfloat162_rn(d[2], d[3]),
        __floats2bfloat162_rn(d[4], d[5]), __floats2bfloat162_rn(d[6], d[7])};
    const unsigned* bits = reinterpret_cast<const unsigned*>(words);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(at))),
                 "r"(bits[0]), "r"(bits[1]), "r"(bits[2]), "r"(bits[3])
                 : "memory");
}

__device__ void store(Shared& s, const CUtensorMap& c, const float (&d)[128], int row, int col) {
    const int t = threadIdx.x % GROUP, consumer = threadIdx.x / GROUP - 1, lane = t % 32;
    const int mine = t / 32 * 16 + lane % 16;  // row of the box; lanes 16 to 31 have 8 columns more
#pragma unroll
    for (int part = 0; part < 4; part++) {
        auto& box = s.c[consumer][part % 2];
        if (t == 0)
            cp_async_bulk_wait_group_read(n32_t<1>());  // the box before the last one was read
        asm volatile("bar.sync %0, 128;" ::"r"(1 + consumer) : "memory");
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const int pack = (2 * j + lane / 16) ^ mine % 8;  // the swizzle
            store_matrices(&box[mine][8 * pack], &d[32 * part + 8 * j]);
        }
        fence_proxy_async(space_shared);
        asm volatile("bar.sync %0, 128;" ::"r"(1 + consumer) : "memory");
        if (t == 0) {
            const int at[2] = {col + 64 * part, row};
            cp_async_bulk_tensor(space_global, space_shared, &c, at, box);
            cp_async_bulk_commit_group();
        }
    }
}

__device__ void consume(Shared& s, const CUtensorMap& c, Tiles tiles, int steps) {
    const int rank = blockIdx.x % 2, consumer = threadIdx.x / GROUP - 1, lane = threadIdx.x % 32;
    Ring ring;
    float d[128];
    for (int i = blockIdx.x / 2; tiles.find(i); i += gridDim.x / 2) {
        int before = 0;
        for (int step = 0; step < steps; step++, ring.next()) {
            const uint64_t a = described(s.a[ring.stage][64 * consumer]);
            const uint64_t b = described(s.b[ring.stage][0]);
            wait(&s.full[ring.stage], ring.parity);
            product_fence();
#pragma unroll
            for (int j = 0; j < 4; j++) multiply(d, a + 2 * j, b + 2 * j, step + j);
            product_commit();
            product_wait<1>(d);  // step 4: for those of the step before
            if (step > 0 && lane < 2) arrive_in(&s.empty[before], lane);
            before = ring.stage;
        }
        product_wait<0>(d);
        if (lane < 2) arrive_in(&s.empty[before], lane);
        store(s, c, d, tiles.row + ROWS * rank + 64 * consumer, tiles.col);
    }
    cp_async_bulk_wait_group_read(n32_t<0>());
}

extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(3 * GROUP, 1)
    bf16_product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                 const __grid_constant__ CUtensorMap c, int m, int n, int k) {
    extern __shared__ __align__(1024) unsigned char memory[];
    Shared& s = *reinterpret_cast<Shared*>(memory);
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            mbarrier_init(&s.full[i], 1);
            mbarrier_init(&s.empty[i], 16);  // a lane of each of 8 warps, of both blocks
        }
        fence_mbarrier_init(sem_release, scope_cluster);
    }
    barrier_cluster_arrive();
    barrier_cluster_wait();
    const Tiles tiles(m, n);
    const int steps = (k + DEEP - 1) / DEEP;
    if (threadIdx.x < GROUP) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");  // step 5
        if (threadIdx.x == 0) produce(s, a, b, tiles, steps);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        consume(s, c, tiles, steps);
    }
    barrier_cluster_arrive();  // nobody writes to a block that has ended
    barrier_cluster_wait();
}
