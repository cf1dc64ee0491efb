"""What a launch costs, counted by the hardware's rules."""

import numpy as np
import pytest

from grader.cuda import simulator


def observed(code, *args, grid=1, block=32, shared_mem=0):
    with simulator.observe() as run:
        simulator.RawModule(code=code).get_function("k")(grid, block, args, shared_mem=shared_mem)
    return run


COPY = """
extern "C" __global__ void k(const float* x, float* y, int stride, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i * stride];
}
"""


@pytest.mark.parametrize(
    ("stride", "sectors"), [(0, 1), (1, 4), (2, 8), (4, 16), (8, 32), (100, 32)]
)
def test_a_stride_costs_sectors(stride, sectors):
    x, y = np.zeros(3200, np.float32), np.zeros(32, np.float32)
    total = observed(COPY, x, y, np.int32(stride), np.int32(32)).counters.total
    assert (total["global_load_requests"], total["global_load_sectors"]) == (1, sectors)
    assert (total["global_store_requests"], total["global_store_sectors"]) == (1, 4)


def test_a_partial_warp_asks_once_and_for_less():
    """saxpy-like over 201 floats: 7 warps, the last with 9 lanes; 26 sectors, as an H200 counts."""
    x, y = np.zeros(201, np.float32), np.zeros(201, np.float32)
    total = observed(COPY, x, y, np.int32(1), np.int32(201), block=256).counters.total
    assert (total["global_load_requests"], total["global_load_sectors"]) == (7, 26)
    assert total["global_load_bytes"] == 201 * 4


def test_an_array_that_begins_off_a_sector_costs_one_more():
    x, y = np.zeros(64, np.float32), np.zeros(32, np.float32)
    total = observed(COPY, x[1:], y, np.int32(1), np.int32(32)).counters.total
    assert total["global_load_sectors"] == 5


def test_a_warp_that_reads_two_arrays_at_once_asks_once():
    code = """
extern "C" __global__ void k(const float* x, const float* y, float* z) {
  const float* from = threadIdx.x % 2 ? x : y;
  z[threadIdx.x] = from[threadIdx.x];
}
"""
    x, y, z = np.zeros((3, 64), np.float32)
    total = observed(code, x.copy(), y.copy(), z, block=64).counters.total
    assert (total["global_load_requests"], total["global_load_sectors"]) == (2, 16)


BANKS = """
extern "C" __global__ void k(float* y, int stride) {
  extern __shared__ TYPE tile[];
  tile[threadIdx.x * stride] = TYPE();
  __syncwarp();
  y[threadIdx.x] = reinterpret_cast<float&>(tile[threadIdx.x * stride]);
}
"""


@pytest.mark.parametrize(
    ("stride", "wavefronts"), [(1, 1), (2, 2), (3, 1), (4, 4), (32, 32), (33, 1)]
)
def test_a_stride_in_shared_memory_costs_wavefronts(stride, wavefronts):
    code = BANKS.replace("TYPE", "float")
    y = np.zeros(32, np.float32)
    total = observed(code, y, np.int32(stride), shared_mem=8192).counters.total
    assert total["shared_store_requests"] == total["shared_load_requests"] == 1
    assert total["shared_store_wavefronts"] == total["shared_load_wavefronts"] == wavefronts


GATHER = """
extern "C" __global__ void k(TYPE* y, const int* cell) {
  __shared__ TYPE tile[128];
  for (int i = threadIdx.x; i < 128; i += 32) tile[i] = TYPE();
  __syncthreads();
  if (cell[threadIdx.x] >= 0) y[threadIdx.x] = tile[cell[threadIdx.x]];
}
"""
LANE = np.arange(32)


@pytest.mark.parametrize(
    ("type_name", "cell", "wavefronts", "conflicts"),
    [
        ("double", LANE, 2, 0),  # half a warp at a time
        ("double", LANE * 2, 4, 2),
        ("double", np.where(LANE < 16, LANE, -1), 1, 0),  # the other half asks for nothing
        ("double", LANE // 2, 1, 0),  # neighbours share an address: the whole warp at once
        ("double", LANE // 4 * 2 + LANE % 2, 1, 0),  # so do lanes 0 and 2, 1 and 3, ...
        ("double", LANE % 16, 2, 0),
        ("double", LANE * 0, 1, 0),
        ("float4", LANE, 4, 0),  # a quarter of a warp at a time
        ("float4", LANE * 2, 8, 4),
        ("float4", np.where(LANE < 8, LANE, -1), 1, 0),
        ("float4", LANE // 2, 2, 0),  # neighbours share an address: half a warp at once
        ("float4", LANE * 0, 2, 0),
    ],
)
def test_wide_accesses_are_served_in_parts_of_a_warp(type_name, cell, wavefronts, conflicts):
    code = GATHER.replace("TYPE", type_name)
    y = np.zeros(32 * 4, np.float64 if type_name == "double" else np.float32)
    total = observed(code, y, cell.astype(np.int32)).counters.total
    assert total["shared_load_wavefronts"] == wavefronts
    assert total["shared_load_bank_conflicts"] == conflicts


def test_the_ideal_is_what_the_bytes_used_would_fill():
    x, y = np.zeros(3200, np.float32), np.zeros(32, np.float32)
    total = observed(COPY, x, y, np.int32(8), np.int32(32)).counters.total
    assert (total["global_load_sectors"], total["global_load_sectors_ideal"]) == (32, 4)
    assert (total["global_store_sectors"], total["global_store_sectors_ideal"]) == (4, 4)
    total = observed(COPY, x, y, np.int32(0), np.int32(32)).counters.total
    assert (total["global_load_sectors"], total["global_load_sectors_ideal"]) == (1, 1)
    code = BANKS.replace("TYPE", "float")
    total = observed(code, y, np.int32(32), shared_mem=8192).counters.total
    assert total["shared_load_wavefronts"] == 32
    assert total["shared_load_wavefronts_ideal"] == 1
    assert total["shared_load_bank_conflicts"] == 31


def test_all_lanes_reading_one_word_is_a_broadcast():
    code = """
extern "C" __global__ void k(float* y) {
  __shared__ float one;
  if (threadIdx.x == 0) one = y[5];
  __syncthreads();
  y[threadIdx.x] = one;
}
"""
    total = observed(code, np.zeros(32, np.float32)).counters.total
    assert total["shared_load_wavefronts"] == 1


def test_instructions_branches_and_barriers_are_counted_per_line():
    code = """
extern "C" __global__ void k(float* y) {
  if (threadIdx.x < 16) {
    y[threadIdx.x] = y[threadIdx.x] * 3.0f;
  }
  __syncthreads();
}
"""
    counters = observed(code, np.zeros(64, np.float32), block=64).counters
    barrier, store = counters.lines[6], counters.lines[4]
    assert (barrier["barriers"], barrier["inst_executed"]) == (2, 2)
    assert counters.total["branches"] == 2 and counters.total["divergent_branches"] == 1
    assert store["thread_inst_executed"] == 16 * store["inst_executed"]
    assert counters.total["inst_executed"] == sum(
        c["inst_executed"] for c in counters.lines.values()
    )


SUM_IN_SHARED_MEMORY = """
extern "C" __global__ void k(const float* x, float* partial) {
  __shared__ float tile[256];
  const int thread = threadIdx.x;
  tile[thread] = x[blockIdx.x * blockDim.x + thread];
  LOOP
  if (thread == 0) partial[blockIdx.x] = tile[0];
}
"""
LOOPS_WITH_A_BARRIER = {
    "in the condition": """
  for (int stride = blockDim.x / 2; __syncthreads(), stride > 0; stride /= 2)
    if (thread < stride) tile[thread] += tile[thread + stride];
""",
    "in the condition that also halves": """
  int stride = blockDim.x;
  while (__syncthreads(), stride /= 2)
    if (thread < stride) tile[thread] += tile[thread + stride];
""",
    "in front of a continue": """
  for (int stride = blockDim.x / 2;; stride /= 2) {
    __syncthreads();
    if (stride == 0) break;
    if (thread >= stride) continue;
    tile[thread] += tile[thread + stride];
  }
""",
    "that is the condition": """
  for (int stride = blockDim.x / 2; __syncthreads_or(stride > 0); stride /= 2)
    if (thread < stride) tile[thread] += tile[thread + stride];
""",
    "at the end of each round": """
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (thread < stride) tile[thread] += tile[thread + stride];
    __syncthreads();
  }
""",
}


@pytest.mark.parametrize("where", LOOPS_WITH_A_BARRIER)
def test_a_barrier_is_counted_once_per_warp_wherever_it_stands_in_a_loop(where):
    """576 for 8 blocks of 8 warps and 9 barriers each, as ncu counts BAR on an H100."""
    code = SUM_IN_SHARED_MEMORY.replace("LOOP", LOOPS_WITH_A_BARRIER[where])
    x, partial = np.ones(8 * 256, np.float32), np.zeros(8, np.float32)
    total = observed(code, x, partial, grid=8, block=256).counters.total
    assert total["barriers"] == 576
    assert (partial == 256).all()


def test_lanes_that_leave_a_round_at_three_places_meet_at_the_next_barrier():
    """1,088 for 8 blocks of 8 warps and 17 barriers each, as ncu counts BAR on an H100."""
    code = """
extern "C" __global__ void k(const float* x, float* y) {
  __shared__ float tile[256];
  const int thread = threadIdx.x;
  tile[thread] = x[thread];
  for (int round = 0; __syncthreads(), round < 8; round++) {
    float sum = 0.0f;
    for (int step = 0; step < thread % 7; step++) sum += tile[(thread + step) % 256];
    __syncthreads();
    if (thread % 3 == round % 3) continue;
    if (thread % 5 == 1) { tile[thread] = sum * 0.5f; continue; }
    tile[thread] += 1.0f;
  }
  y[blockIdx.x * 256 + thread] = tile[thread];
}
"""
    x, y = np.ones(256, np.float32), np.zeros(8 * 256, np.float32)
    assert observed(code, x, y, grid=8, block=256).counters.total["barriers"] == 1088


def test_who_only_arrives_at_a_barrier_is_counted_as_who_waits_there():
    """As an H200 counts BAR: three warps, one of which arrives and goes on; then all three."""
    code = """
extern "C" __global__ void k(float* y) {
  if (threadIdx.x < 32) asm volatile("bar.arrive 1, 96;" ::: "memory");
  else asm volatile("bar.sync 1, 96;" ::: "memory");
  __syncthreads();
  y[threadIdx.x] = 1;
}
"""
    assert observed(code, np.zeros(96, np.float32), block=96).counters.total["barriers"] == 6


def test_what_is_done_to_an_mbarrier_is_no_load_store_or_atomic():
    """On an H200 a unit of its own does it (SYNCS), which none of these counters counts."""
    code = """
extern "C" __global__ void k(float* y) {
  __shared__ unsigned long long met;
  const unsigned place = __cvta_generic_to_shared(&met);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(place) : "memory");
  __syncthreads();
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(place) : "memory");
  for (unsigned over = 0; !over;) {
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0;"
                 " selp.u32 %0, 1, 0, p;}" : "=r"(over) : "r"(place) : "memory");
  }
  y[threadIdx.x] = 1;
}
"""
    total = observed(code, np.zeros(64, np.float32), block=64).counters.total
    shared = {name: count for name, count in total.items() if name.startswith("shared_")}
    assert total["atomics"] == 0
    assert not any(shared.values()), shared


def test_counts_of_two_launches_add_up():
    kernel = simulator.RawModule(code=COPY).get_function("k")
    x, y = np.zeros(32, np.float32), np.zeros(32, np.float32)
    with simulator.observe() as run:
        for _ in range(2):
            kernel(1, 32, (x, y, np.int32(1), np.int32(32)))
    assert run.counters.total["global_load_sectors"] == 8


def test_the_cost_does_not_depend_on_how_many_blocks_run_together():
    x, y = np.zeros(100_000, np.float32), np.zeros(100_000, np.float32)
    total = observed(COPY, x, y, np.int32(1), np.int32(99_999), grid=391, block=256).counters.total
    assert total["global_load_sectors"] == 12_500
    assert total["divergent_branches"] == 1


def test_the_trace_shows_block_0_access_by_access():
    code = """
extern "C" __global__ void k(float* y) {
  __shared__ float tile[32];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 4) y[threadIdx.x] = tile[31 - threadIdx.x];
}
"""
    events = observed(code, np.zeros(32, np.float32), grid=3).trace.events
    store, barrier, load, result = (e for e in events if e.kind != "execute")
    assert (store.kind, store.space, store.line) == ("store", "shared", 4)
    assert np.array_equal(store.address, 4 * np.arange(32))
    assert np.array_equal(barrier.memory.view(np.float32), np.arange(32))
    assert np.array_equal(load.address, 4 * (31 - np.arange(4)))
    assert (result.space, result.buffer, list(result.threads)) == ("global", 0, [0, 1, 2, 3])
    assert [e.step for e in events] == sorted({e.step for e in events})


WAYS = r"""
#include <cuda_pipeline.h>
extern "C" __global__ void plain(float4* x, float4* y) { y[threadIdx.x] = x[threadIdx.x]; }
extern "C" __global__ void floats(float* x, float* y) {
  for (int i = threadIdx.x; i < 512; i += 128) y[i] = x[i];
}
extern "C" __global__ void asynchronous(float4* x, float4* y) {
  __shared__ float4 tile[128];
  __pipeline_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  y[threadIdx.x] = tile[threadIdx.x];
}
extern "C" __global__ void atomic_load(float* x, float* y) {
  for (int i = threadIdx.x; i < 512; i += 128) y[i] = atomicAdd(&x[i], 0.0f);
}
extern "C" __global__ void atomic_store(float* x, float* y) {
  for (int i = threadIdx.x; i < 512; i += 128) atomicExch(&y[i], x[i]);
}
extern "C" __global__ void bulk(float4* x, float* y) {
  __shared__ __align__(128) float4 tile[128];
  tile[threadIdx.x] = x[threadIdx.x];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 2048;"
                 :: "l"(y), "r"((unsigned)__cvta_generic_to_shared(tile)) : "memory");
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
"""


@pytest.mark.parametrize(
    "way", ["plain", "floats", "asynchronous", "atomic_load", "atomic_store", "bulk"]
)
def test_no_way_through_global_memory_goes_uncounted(way):
    """2,048 bytes in and 2,048 out are 128 sectors, whoever moves them."""
    x, y = np.arange(512, dtype=np.float32), np.zeros(512, np.float32)
    with simulator.observe() as run:
        simulator.RawModule(code=WAYS).get_function(way)((1,), (128,), (x, y))
    assert (x == y).all()
    assert run.counters.total["global_sectors"] == 128
