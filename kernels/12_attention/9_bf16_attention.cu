// Attention y = softmax(scale q k^T) v of bfloat16 numbers on tensor cores; sums in float32.
//
//   q, k, v     bfloat16[heads][queries or keys][DIM], as tensor maps with a swizzle of 128 bytes:
//               a box has 64 columns and QUERIES rows of q, or 128 rows of k or v
//   y           bfloat16[heads][queries][DIM], written
//   scale       the factor of a score, times log2(e), because the kernel computes the weights by exp2
//   causal      1 if query i has only keys 0 to i, else 0; there is at least one key
//   grid        queries / QUERIES, rounded up, by heads
//   block       128 + 2 * QUERIES threads: a warpgroup that copies, and one for each 64 queries
//   shared_mem  sizeof(Shared<DIM, QUERIES>) bytes
//
// Its steps, and the kernels of the lessons in which you met them:
//   1  tiles of keys, and an online softmax over them                               3_tiled.cu
//   2  weights go from registers to the tensor cores                          7_tensor_tile.cu
//   3  a ring of stages, and a producer that gives registers away   lesson 11, 9_bf16_product.cu
//   4  tiles that all queries see need no mask; long rows begin first        4_causal_tiles.cu
//   5  the scores of the next tile are in flight during the softmax of this one
//   6  three consumers take turns: one has the tensor cores while the others do their softmax
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>
using namespace cuda::ptx;

constexpr int KEYS = 128, STAGES = 4,
              GROUP = 128;  // keys of a tile; stages of the ring; threads of a warpgroup

template <int DIM, int QUERIES>
struct Shared {
    __nv_bfloat16 q[DIM / 64][QUERIES][64], ring[STAGES][DIM / 64][KEYS][64];  // k, v, k, v, ...
    uint64_t full[STAGES], empty[STAGES], queries;
};

// Where a factor begins, as in lesson 11.
__device__ uint64_t described(const void* at) {
    return __cvta_generic_to_shared(at) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

#define FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)

// d becomes the product of 64 x 16 elements of q and 128 x 16 of k, plus d if `add`.
__device__ void multiply(float (&d)[64], uint64_t q, uint64_t k, int add) {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %66, 0; "
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,"
        "%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
        "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,"
        "%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, p, 1, 1, 0, 0; }"
        : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)
        : "l"(q), "l"(k), "r"(add));
}

// Adds the product of 64 x 16 weights and 16 x 64 elements of v to d.
__device__ void multiply_add(float (&d)[32], const unsigned* w, uint64_t v) {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %37, 0; "
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,"
        "%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,"
        "%31}, {%32, %33, %34, %35}, %36, p, 1, 1, 1; }"
        : SIXTEEN(0), SIXTEEN(16)
        : "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "l"(v), "r"(1));
}

template <int N>
__device__ void settle(float (&d)[N]) {  // the compiler must not use d before this
    for (int i = 0; i < N; i += 16) asm volatile("" : SIXTEEN(i)::"memory");
}

__device__ float power_of_2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ unsigned two(float x, float y) {
    const __nv_bfloat162 both = __floats2bfloat162_rn(x, y);
    return *reinterpret_cast<const unsigned*>(&both);
}

__device__ void wait(uint64_t* barrier, int parity) {
    while (!mbarrier_try_wait_parity(barrier, parity)) continue;
}

template <int DIM, int QUERIES>
struct Block {
    static constexpr int WIDE = DIM / 64, TURNS = QUERIES == 192;  // boxes side by side; step 6
    Shared<DIM, QUERIES>& s;
    int row, head, tiles;  // where the queries begin; how many tiles of keys they see
    int stage = 0, parity = 0;

    __device__ void next() {
        if (++stage == STAGES) stage = 0, parity ^= 1;
    }

    template <int ROWS>
    __device__ void fetch(const CUtensorMap& map, int row, __nv_bfloat16 (&to)[WIDE][ROWS][64],
                          uint64_t* full) {
        mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, full, sizeof to);
        for (int i = 0; i < WIDE; i++) {
            const int at[3] = {64 * i, row, head};
            cp_async_bulk_tensor(space_cluster, space_global, to[i], &map, at, full);
        }
    }

    __device__ void produce(const CUtensorMap& q, const CUtensorMap& k, const CUtensorMap& v) {
        fetch(q, row, s.q, &s.queries);
        auto bring = [&](const CUtensorMap& map, int tile) {
            wait(&s.empty[stage], parity ^ 1);
            fetch(map, KEYS * tile, s.ring[stage], &s.full[stage]);
            next();
        };
        for (int tile = tiles - 1; tile >= -1; tile--) {  // in the order of use
            if (tile >= 0) bring(k, tile);
            if (tile < tiles - 1) bring(v, tile + 1);
        }
    }

    __device__ void score(float (&d)[64], int consumer) {
        const uint64_t q = described(s.q[0][64 * consumer]), k = described(s.ring[stage]);
        wait(&s.full[stage], parity);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int i = 0; i < DIM / 16; i++) {  // 32 bytes further, or in the next box
            multiply(d, q + i / 4 * 8 * QUERIES + i % 4 * 2, k + i / 4 * 8 * KEYS + i % 4 * 2, i);
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        next();
    }

    // Adds the product of the weights w and a tile of v to y.
    __device__ void multiply_v(float (&y)[WIDE][32], const unsigned (&w)[32]) {
        const uint64_t v = described(s.ring[stage]);
        wait(&s.full[stage], parity);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int i = 0; i < KEYS / 16 * WIDE; i++) {  // 16 rows further, or in the next box
            multiply_add(y[i % WIDE], &w[i / WIDE * 4], v + i % WIDE * 8 * KEYS + i / WIDE * 128);
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        next();
    }

    __device__ void release(int before) {  // the stage used `before` steps ago
        if (threadIdx.x % 32 == 0) mbarrier_arrive(&s.empty[(stage + STAGES - before) % STAGES]);
    }

    __device__ void finish(float (&y)[WIDE][32], const float (&factor)[2]) {  // once y is there
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        for (int n = 0; n < WIDE; n++) settle(y[n]);
        for (int i = 0; i < 32 * WIDE; i++) y[i / 32][i % 32] *= factor[i / 2 % 2];
    }

    __device__ void consume(__nv_bfloat16* to, float scale, int queries, int keys, int causal) {
        const int consumer = threadIdx.x / GROUP - 1, lane = threadIdx.x % 32;
        const int top = row + 64 * consumer, mine = top + threadIdx.x % GROUP / 32 * 16 + lane / 4;
        float d[64], y[WIDE][32] = {};
        unsigned w[32];  // weights, in pairs
        // This lane has rows `mine` and `mine + 8`. For each: the largest score so far, the sum of this
        // lane's weights, and the factor that rescales this sum.
        float max[2] = {-INFINITY, -INFINITY}, sum[2] = {}, factor[2];
        auto softmax = [&](int tile) {
            settle(d);
            if (KEYS * (tile + 1) > (causal ? min(top, keys) : keys)) {  // step 4
                for (int i = 0; i < 64; i++) {
                    const int key = KEYS * tile + i / 4 * 8 + lane % 4 * 2 + i % 2;
                    if (key >= keys || (causal && key > mine + i / 2 % 2 * 8)) d[i] = -INFINITY;
                }
            }
            for (int r = 0; r < 2; r++) {
                float most = max[r];
                for (int i = 0; i < 32; i++) most = fmaxf(most, d[i / 2 * 4 + i % 2 + 2 * r]);
                for (int n = 1; n < 4; n *= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, n));
                const float origin = most == -INFINITY ? 0 : scale * most;
                factor[r] = power_of_2(scale * max[r] - origin);
                max[r] = most, sum[r] *= factor[r];
                for (int i = 0; i < 32; i++) {
                    float& one = d[i / 2 * 4 + i % 2 + 2 * r];
                    sum[r] += one = power_of_2(scale * one - origin);
                }
            }
            finish(y, factor);
            for (int i = 0; i < 32; i++) w[i] = two(d[2 * i], d[2 * i + 1]);
        };
        wait(&s.queries, 0);
        score(d, consumer);
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        softmax(tiles - 1);
        release(1);
        if (TURNS && consumer == 2) asm volatile("bar.arrive 1, 256;" ::: "memory");
        for (int tile = tiles - 2; tile >= 0; tile--) {
            if (TURNS) asm volatile("bar.sync %0, 256;" ::"r"(1 + consumer) : "memory");
            score(d, consumer);
            multiply_v(y, w);
            if (TURNS) asm volatile("bar.arrive %0, 256;" ::"r"(1 + (consumer + 1) % 3) : "memory");
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::
                             : "memory");  // step 5: only the scores
            release(2);
            softmax(tile);
            release(1);
        }
        multiply_v(y, w);
        for (int r = 0; r < 2; r++) {
            sum[r] += __shfl_xor_sync(~0u, sum[r], 1);
            factor[r] = 1 / (sum[r] + __shfl_xor_sync(~0u, sum[r], 2));
        }
        finish(y, factor);
        auto* pairs = reinterpret_cast<unsigned*>(to + DIM * (size_t(head) * queries + mine));
        for (int i = 0; i < 16 * WIDE; i++) {
            const unsigned pair = two(y[i / 16][i % 16 * 2], y[i / 16][i % 16 * 2 + 1]);
            if (mine + i % 2 * 8 < queries) pairs[i % 2 * 4 * DIM + i / 2 * 4 + lane % 4] = pair;
        }
    }
};

template <int DIM, int QUERIES>
__device__ void attend(const CUtensorMap& q, const CUtensorMap& k, const CUtensorMap& v,
                       __nv_bfloat16* y, float scale, int queries, int keys, int causal) {
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& s = *reinterpret_cast<Shared<DIM, QUERIES>*>(memory);
    if (threadIdx.x == 0) {
        mbarrier_init(&s.queries, 1);
        for (int i = 0; i < STAGES; i++) {
            mbarrier_init(&s.full[i], 1);
            mbarrier_init(&s.empty[i], QUERIES / 16);  // a lane of each consumer's warps
        }
        fence_proxy_async(space_shared);
    }
    __syncthreads();
    const int row = QUERIES * (gridDim.x - 1 - blockIdx.x), head = blockIdx.y;
    const int tiles = ((causal ? min(row + QUERIES, keys) : keys) + KEYS - 1) / KEYS;
    Block<DIM, QUERIES> block = {s, row, head, tiles};
    if (threadIdx.x < GROUP) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == 0) block.produce(q, k, v);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(QUERIES == 128 ? 240 : 160));
        block.consume(y, scale, queries, keys, causal);
    }
}

extern "C" __global__ void __launch_bounds__(384, 1)
    attention_128(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
                  const __grid_constant__ CUtensorMap v, __nv_bfloat16* y, float scale, int queries,
                  int keys, int causal) {
    attend<128, 128>(q, k, v, y, scale, queries, keys, causal);
}

extern "C" __global__ void __launch_bounds__(512, 1)
    attention_64(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
                 const __grid_constant__ CUtensorMap v, __nv_bfloat16* y, float scale, int queries,
                 int keys, int causal) {
    attend<64, 192>(q, k, v, y, scale, queries, keys, causal);
}
