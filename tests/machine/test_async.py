"""Copies that arrive later, barriers that count, and operations of part of a warp."""

import numpy as np
import pytest
from every_device import run

from grader.cuda import DataRace, UninitializedRead, UnsupportedInstruction

PIPELINE = r"""
#include <cuda_pipeline.h>
extern "C" __global__ void reverse_tiles(const float* x, float* y, int n) {
  __shared__ float tile[2][256];
  int t = threadIdx.x, tiles = n / 256;
  __pipeline_memcpy_async(&tile[0][t], &x[t], 4);
  __pipeline_commit();
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles) __pipeline_memcpy_async(&tile[(k + 1) & 1][t], &x[(k + 1) * 256 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    y[k * 256 + t] = tile[k & 1][255 - t];
    __syncthreads();
  }
}
"""


def test_a_pipeline_of_two_stages_brings_every_tile():
    x, y = np.arange(2048, dtype="f4"), np.zeros(2048, "f4")
    run(PIPELINE, "reverse_tiles", 1, 256, x, y, np.int32(2048))
    assert np.array_equal(y.reshape(8, 256), x.reshape(8, 256)[:, ::-1])


def test_refilling_a_stage_that_others_still_read_is_a_race():
    code = PIPELINE.replace("255 - t];\n    __syncthreads();", "255 - t];")
    with pytest.raises(DataRace) as caught:
        run(
            code,
            "reverse_tiles",
            1,
            256,
            np.zeros(2048, "f4"),
            np.zeros(2048, "f4"),
            np.int32(2048),
        )
    assert (caught.value.line, caught.value.other_line) == (9, 13)


def test_reading_before_the_copy_has_been_waited_for_is_reported():
    code = PIPELINE.replace("    __pipeline_wait_prior(1);\n", "")
    with pytest.raises(UninitializedRead) as caught:
        run(
            code,
            "reverse_tiles",
            1,
            256,
            np.zeros(2048, "f4"),
            np.zeros(2048, "f4"),
            np.int32(2048),
        )
    assert caught.value.line == 12


ZERO_FILL = r"""
extern "C" __global__ void fill(const int4* x, int4* y, int bytes) {
  __shared__ int4 s[32];
  unsigned to = __cvta_generic_to_shared(&s[threadIdx.x]);
  int size = threadIdx.x < 16 ? bytes : 0;
  const int4* from = threadIdx.x < 16 ? &x[threadIdx.x] : (const int4*)nullptr;
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "r"(size));
  asm volatile("cp.async.wait_all;");
  y[threadIdx.x] = s[threadIdx.x];
}
"""


@pytest.mark.parametrize("size", [0, 4, 7, 16])
def test_beyond_the_source_size_a_copy_writes_zeros(size):
    x = np.random.default_rng(0).integers(0, 256, 16 * 16, dtype=np.uint8)
    y = np.ones(32 * 16, np.uint8)
    run(ZERO_FILL, "fill", 1, 32, x, y, np.int32(size))
    expected = np.zeros((32, 16), np.uint8)
    expected[:16, :size] = x.reshape(16, 16)[:, :size]
    assert np.array_equal(y.reshape(32, 16), expected)


BARRIER = r"""
#include <cuda/barrier>
extern "C" __global__ void mirror(const int* x, int* y) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  __shared__ int s[128];
  int t = threadIdx.x;
  if (t == 0) init(&ready, blockDim.x);
  __syncthreads();
  for (int k = 0; k < 3; ++k) {
    s[t] = x[t] + k;
    ready.arrive_and_wait();
    y[t + 128 * k] = s[127 - t];
    auto token = ready.arrive();
    ready.wait(std::move(token));
  }
}
"""


def test_a_barrier_object_in_shared_memory_orders_its_threads():
    x, y = np.arange(128, dtype="i4"), np.zeros(384, "i4")
    run(BARRIER, "mirror", 1, 128, x, y)
    assert np.array_equal(y.reshape(3, 128), (x + np.arange(3)[:, None])[:, ::-1])


def test_without_its_wait_a_barrier_object_orders_nothing():
    code = BARRIER.replace("ready.arrive_and_wait();", "(void)ready.arrive();")
    with pytest.raises(DataRace):
        run(code, "mirror", 1, 128, np.zeros(128, "i4"), np.zeros(384, "i4"))


CONSUMER = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
extern "C" __global__ void mirror(const float4* x, float4* y) {
  __shared__ float4 s[128];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, x, sizeof(float4) * 128);
  cg::wait(block);
  y[threadIdx.x] = s[127 - threadIdx.x];
}
"""


def test_cooperative_groups_copy_asynchronously():
    x, y = np.arange(512, dtype="f4"), np.zeros(512, "f4")
    run(CONSUMER, "mirror", 1, 128, x, y)
    assert np.array_equal(y.reshape(128, 4), x.reshape(128, 4)[::-1])


ROLES = r"""
#include <cuda/barrier>
// Warp 1 fills two stages in turn, and warp 0 uses them.
extern "C" __global__ void stages(const int* x, int* y, int rounds) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> full[2], empty[2];
  __shared__ int s[2][32];
  const int t = threadIdx.x % 32;
  if (threadIdx.x == 0) for (int k = 0; k < 2; ++k) init(&full[k], 64), init(&empty[k], 64);
  __syncthreads();
  for (int k = 0; k < rounds; ++k) {
    if (threadIdx.x >= 32) {
      if (k >= 2) empty[k % 2].arrive_and_wait();
      s[k % 2][t] = x[32 * k + t];
      (void)full[k % 2].arrive();
    } else {
      full[k % 2].arrive_and_wait();
      const int one = s[k % 2][31 - t];
      if (k + 2 < rounds) (void)empty[k % 2].arrive();
      y[32 * k + t] = one;
    }
  }
}
"""


def test_a_stage_that_is_given_back_after_it_was_read_may_be_filled_again():
    x, y = np.arange(32 * 7, dtype="i4"), np.zeros(32 * 7, "i4")
    run(ROLES, "stages", 1, 64, x, y, np.int32(7))
    assert np.array_equal(y.reshape(7, 32), x.reshape(7, 32)[:, ::-1])


def test_a_stage_that_is_given_back_before_it_was_read_is_a_race():
    given_back = "      if (k + 2 < rounds) (void)empty[k % 2].arrive();\n"
    read = "      const int one = s[k % 2][31 - t];\n"
    code = ROLES.replace(read + given_back, given_back + read)
    assert code != ROLES
    with pytest.raises(DataRace) as caught:
        run(code, "stages", 1, 64, np.zeros(224, "i4"), np.zeros(224, "i4"), np.int32(7))
    assert {caught.value.line, caught.value.other_line} == {14, 19}


TRANSACTIONS = r"""
extern "C" __global__ void phases(unsigned* y) {
  __shared__ unsigned long long bar;
  unsigned b = __cvta_generic_to_shared(&bar), done[4];
  unsigned long long state;
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b) : "memory");
#define TEST(n, parity) \
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; " \
               "selp.u32 %0, 1, 0, p; }" : "=r"(done[n]) : "r"(b), "r"(parity) : "memory")
  TEST(0, 0);
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], 16;"
               : "=l"(state) : "r"(b) : "memory");
  TEST(1, 0);
  asm volatile("mbarrier.complete_tx.shared.b64 [%0], 16;" ::"r"(b) : "memory");
  TEST(2, 0);
  TEST(3, 1);
  unsigned pending;
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
  for (int k = 0; k < 4; ++k) y[k] = done[k];
  y[4] = pending;
}
"""


def test_a_phase_ends_when_arrivals_and_bytes_are_there():
    y = np.zeros(5, "u4")
    run(TRANSACTIONS, "phases", 1, 1, y)
    assert y.tolist() == [0, 0, 1, 0, 1]


GROUPS = r"""
extern "C" __global__ void halves(const int* x, int* sums, unsigned* same, int* leader) {
  unsigned mask = threadIdx.x % 32 < 16 ? 0xffffu : 0xffff0000u;
  int sum;
  unsigned like, first;
  asm volatile("redux.sync.add.s32 %0, %1, %2;" : "=r"(sum) : "r"(x[threadIdx.x]), "r"(mask));
  asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(like) : "r"(x[threadIdx.x] % 2), "r"(mask));
  asm volatile("{ .reg .pred p; elect.sync %0|p, %1; @!p mov.u32 %0, 99; }"
               : "=r"(first) : "r"(mask));
  sums[threadIdx.x] = sum;
  same[threadIdx.x] = like;
  leader[threadIdx.x] = first;
}
"""


def test_each_half_of_a_warp_is_a_group_of_its_own():
    x = np.arange(64, dtype="i4")
    sums, same, leader = np.zeros(64, "i4"), np.zeros(64, "u4"), np.zeros(64, "i4")
    run(GROUPS, "halves", 1, 64, x, sums, same, leader)
    assert np.array_equal(sums, np.repeat(x.reshape(4, 16).sum(axis=1), 16))
    assert [hex(mask) for mask in same[[0, 1, 16, 17]]] == [
        "0x5555",
        "0xaaaa",
        "0x55550000",
        "0xaaaa0000",
    ]
    assert leader.reshape(4, 16)[:, 0].tolist() == [0, 16, 0, 16]
    assert (leader.reshape(4, 16)[:, 1:] == 99).all()


VECTORS = r"""
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void add(float4* sum, __half2* halves, __nv_bfloat16* brain) {
  float4 v = make_float4(1, 2, 3, threadIdx.x);
  atomicAdd(sum, v);
  atomicAdd(halves, __floats2half2_rn(1.0f, 2.0f));
  atomicAdd(brain, __float2bfloat16(1.0f));
}
"""


def test_atomics_on_vectors_and_halves_add_up():
    total, halves, brain = np.zeros(4, "f4"), np.zeros(2, "f2"), np.zeros(1, "u2")
    run(VECTORS, "add", 2, 64, total, halves, brain, options=("-arch=compute_90",))
    assert total.tolist() == [128, 256, 384, 2 * 63 * 32]
    assert halves.tolist() == [128, 256]
    assert brain[0] == 0x4300  # 128 in bfloat16


@pytest.mark.parametrize(
    "instruction",
    [
        "cp.reduce.async.bulk.commit;",
        "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16;",
        "tensormap.replace.tile.rank.global.b1024.b32 [%rd1], 2;",
    ],
)
def test_reducing_copies_sparse_products_and_changed_maps_are_named_as_missing(instruction):
    code = f'extern "C" __global__ void k() {{\n  asm volatile("{instruction}");\n}}'
    with pytest.raises(UnsupportedInstruction) as caught:
        run(code, "k", 1, 128)
    assert caught.value.line == 2
    assert instruction.partition(".")[0] in str(caught.value)


HINTS = r"""
extern "C" __global__ void hints(const float* x, float* y, unsigned* spaces) {
  __shared__ float s[32];
  float local[4], v;
  unsigned long long policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(x));
  asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;"
               : "=f"(v) : "l"(x + threadIdx.x), "l"(policy));
  asm volatile("red.global.add.L2::cache_hint.f32 [%0], %1, %2;"
               ::"l"(y + threadIdx.x), "f"(v), "l"(policy) : "memory");
  asm volatile("st.global.L1::no_allocate.f32 [%0], %1;" ::"l"(y + 32 + threadIdx.x), "f"(v));
  local[threadIdx.x % 4] = v;
  spaces[threadIdx.x] = __isGlobal(x) | __isShared(x) << 1 | __isShared(s) << 2 |
                        __isGlobal(s) << 3 | __isLocal(local) << 4 | __isGlobal(local) << 5;
}
"""


def test_cache_hints_change_nothing_and_addresses_tell_their_space():
    x, y, spaces = np.arange(32, dtype="f4"), np.ones(64, "f4"), np.zeros(32, "u4")
    run(HINTS, "hints", 1, 32, x, y, spaces)
    assert np.array_equal(y, np.r_[x + 1, x])
    assert set(spaces.tolist()) == {0b010101}
