// Inclusive scan of x in one pass: copies of the next tiles are in flight while this one is added.
//
//   x, y        float[n], x only read, y written; both begin at a multiple of 16 bytes
//   states      unsigned long long[tiles], a tile is 8,192 elements; all 0 before the launch
//               (`clear_states`), then 1 in the upper half, and the tile's sum in the lower half
//   grid        a cooperative launch of at most 160 blocks, one for each multiprocessor; block b
//               owns tiles b, b + gridDim.x, b + 2 gridDim.x, ...: one in each round
//   block       352 threads, 11 warps: 0 to 7 scan, 8 copies, 9 adds, 10 looks back
//   shared_mem  196,608 bytes: the ring, 6 stages of a tile each
//
// Its steps, and the kernels of the lessons in which you met them:
//   1  a warp scans by shuffles, a tile in two levels                           3_block_scan.cu
//   2  a tile publishes its sum, and later tiles look back for it               5_look_back.cu
//   3  sum and flag are one word: one store publishes both, without a fence
//   4  16 bytes per load and store, 8 of them per lane                          lesson 06
//   5  a block knows the total up to its previous tile, so it looks back one round only
//   6  bulk copies fill a ring of stages, and warps with roles wait for each other at mbarriers:
//      copies, sums, looking back and stores go on at the same time             lesson 11
#include <cuda/ptx>
using namespace cuda::ptx;

using Word = unsigned long long;
constexpr int SCANNERS = 8, COPIER = 8, ADDER = 9, LOOKER = 10;  // warps
constexpr int PACKS = 8;                                         // of 16 bytes, per lane and tile
constexpr int PART = 32 * PACKS, TILE = SCANNERS * PART;         // packs of a warp, and of a tile
constexpr int STAGES = 6, WORDS = 5;  // WORDS states per lane: 160 blocks

struct Barriers {  // mbarriers of a stage
    uint64_t full, added, looked, empty;
};

// Step 3. A relaxed access of 8 bytes is one piece: a thread that sees the flag has the sum, too.
__device__ void publish(Word* state, float sum) {
    const Word word = 1ull << 32 | __float_as_uint(sum);
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(state), "l"(word) : "memory");
}
__device__ Word seen(const Word* state) {
    Word word;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(word) : "l"(state) : "memory");
    return word;
}

__device__ void await(uint64_t* barrier, int parity) {
    while (!mbarrier_try_wait_parity(barrier, parity)) continue;
}
__device__ void arrive(uint64_t* barrier) {  // for the whole warp
    __syncwarp();
    if (threadIdx.x % 32 == 0) mbarrier_arrive(sem_release, scope_cta, space_shared, barrier);
}
__device__ float warp_sum(float value) {
    for (int apart = 16; apart > 0; apart /= 2) value += __shfl_xor_sync(~0u, value, apart);
    return value;
}

// Warp COPIER, step 6: `count` floats at x into a stage. The copy takes whole packs; this thread
// itself stores up to 3 floats at the very end of x, and fills the last pack with zeros.
__device__ void copy(float4* stage, const float* x, int count, uint64_t* full) {
    const int copied = count / 4 * 4, end = (count + 3) / 4 * 4;
    for (int i = copied; i < end; i++) ((float*)stage)[i] = i < count ? x[i] : 0.0f;
    mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, full, 4 * copied);
    if (copied) cp_async_bulk(space_cluster, space_global, stage, x, 4 * copied, full);
}

// Warp ADDER, steps 1 and 2: before_part[w] becomes the sum of all parts before the part of warp w.
__device__ void add(const float4* stage, int packs, float* before_part, Word* state) {
    const int lane = threadIdx.x % 32;
    float sum[SCANNERS], before = 0.0f, mine = 0.0f;
#pragma unroll
    for (int w = 0; w < SCANNERS; w++) {
        sum[w] = 0.0f;
#pragma unroll
        for (int k = 0; k < PACKS; k++) {
            const int p = w * PART + 32 * k + lane;
            const float4 pack = p < packs ? stage[p] : float4{};
            sum[w] += (pack.x + pack.y) + (pack.z + pack.w);
        }
    }
#pragma unroll
    for (int w = 0; w < SCANNERS; w++) {
        if (lane == w) mine = before;
        before += warp_sum(sum[w]);
    }
    if (lane == 0) publish(state, before);
    if (lane < SCANNERS) before_part[lane] = mine;
}

// Warp LOOKER, step 5: the sum of the gridDim.x tiles before this one. All loads are in flight
// before the first is used.
__device__ float look_back(const Word* states, int tile) {
    const int lane = threadIdx.x % 32, blocks = gridDim.x;
    Word word[WORDS];
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        const int back = 1 + 32 * k + lane;  // how many tiles before this one
        word[k] = back <= blocks && back <= tile ? seen(&states[tile - back]) : 1ull << 32;
    }
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        while (word[k] == 0) word[k] = seen(&states[tile - 1 - 32 * k - lane]);
        sum += __uint_as_float((unsigned)word[k]);
    }
    return warp_sum(sum);
}

// Steps 1 and 4: an inclusive scan of each pack, and before[k] becomes the sum of what is before pack k
// in the warp's part: packs k of the lanes below, and packs 0 to k - 1 of all lanes.
__device__ void scan(float4 (&pack)[PACKS], float (&before)[PACKS]) {
    const int lane = threadIdx.x % 32;
    float up_to[PACKS], all = 0.0f;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        pack[k].y += pack[k].x, pack[k].z += pack[k].y, pack[k].w += pack[k].z;
        up_to[k] = pack[k].w;
    }
#pragma unroll
    for (int apart = 1; apart < 32; apart *= 2) {  // PACKS shuffles that do not wait for each other
#pragma unroll
        for (int k = 0; k < PACKS; k++) {
            const float below = __shfl_up_sync(~0u, up_to[k], apart);
            if (lane >= apart) up_to[k] += below;
        }
    }
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const float below = __shfl_up_sync(~0u, up_to[k], 1);
        before[k] = lane > 0 ? all + below : all;
        all += __shfl_sync(~0u, up_to[k], 31);
    }
}

__device__ void store(float* y, float4 pack, float before, int count) {  // at most `count` floats
    pack = {before + pack.x, before + pack.y, before + pack.z, before + pack.w};
    if (count >= 4) *(float4*)y = pack;
    if (count > 0 && count < 4) y[0] = pack.x;
    if (count > 1 && count < 4) y[1] = pack.y;
    if (count == 3) y[2] = pack.z;
}

extern "C" __global__ void clear_states(Word* states, int tiles) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < tiles) states[i] = 0;
}

extern "C" __global__ void __launch_bounds__(352)
    scan_ring(const float* x, float* y, Word* states, size_t n) {
    extern __shared__ float4 ring[];
    __shared__ Barriers barriers[STAGES];
    __shared__ float before_part[STAGES][SCANNERS], before_tile[STAGES];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        for (auto& of_stage : barriers) {
            mbarrier_init(&of_stage.full, 1), mbarrier_init(&of_stage.added, 1);
            mbarrier_init(&of_stage.looked, 1), mbarrier_init(&of_stage.empty, SCANNERS);
        }
        fence_proxy_async(space_shared);
    }
    __syncthreads();
    float total = 0.0f;  // of all tiles before this one; warp LOOKER has it
    int s = 0, parity = 0;
    for (size_t tile = blockIdx.x; 4 * TILE * tile < n; tile += gridDim.x) {
        const size_t first = 4 * TILE * tile;
        const int count = n - first < 4 * TILE ? n - first : 4 * TILE, packs = (count + 3) / 4;
        float4* stage = ring + s * TILE;
        Barriers& at = barriers[s];
        await(warp == COPIER ? &at.empty : &at.full, warp == COPIER ? parity ^ 1 : parity);
        if (warp == COPIER) {
            if (lane == 0) copy(stage, x + first, count, &at.full);
        } else if (warp == ADDER) {
            add(stage, packs, before_part[s], &states[tile]);
            arrive(&at.added);
        } else if (warp == LOOKER) {
            total += look_back(states, tile);
            if (lane == 0) before_tile[s] = total;
            arrive(&at.looked);
        } else {
            const int p = warp * PART + lane;  // of the tile: the lane's first pack
            float4 pack[PACKS];
            float before[PACKS];
#pragma unroll
            for (int k = 0, i = p; k < PACKS; k++, i += 32)
                pack[k] = i < packs ? stage[i] : float4{};
            scan(pack, before);
            await(&at.added, parity), await(&at.looked, parity);
            const float offset = before_tile[s] + before_part[s][warp];
            arrive(&at.empty);
#pragma unroll
            for (int k = 0; k < PACKS; k++) {
                const int i = 4 * (p + 32 * k);
                store(y + first + i, pack[k], offset + before[k], count - i);
            }
        }
        if (++s == STAGES) s = 0, parity ^= 1;
    }
}
