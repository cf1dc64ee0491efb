"""What the simulated GPU says of broken kernels: the right error, on the right line, in words."""

import re

import numpy as np
import pytest

from grader import cuda
from grader.cuda import simulator
from grader.cuda.errors import shown


def launch(code, *args, grid=1, block=64, shared_mem=0, name="k"):
    simulator.RawModule(code=code).get_function(name)(grid, block, args, shared_mem=shared_mem)


def line_of(code, text):
    """The line on which `text` stands first, counted from 1."""
    return code[: code.index(text)].count("\n") + 1


def fails(error, code, *args, at, **how):
    with pytest.raises(error) as caught:
        launch(code, *args, **how)
    assert caught.value.line == line_of(code, at)
    assert caught.value.kernel == "k"
    return caught.value


def ones(n=64):
    return np.ones(n, np.float32)


NEIGHBOUR = """
extern "C" __global__ void k(const float* x, float* y) {
  __shared__ float tile[64];
  tile[threadIdx.x] = x[threadIdx.x];
  BARRIER
  y[threadIdx.x] = tile[(threadIdx.x + 1) % 64];
}
"""


def test_missing_barrier_is_reported_as_a_race_with_both_lines():
    error = fails(cuda.DataRace, NEIGHBOUR.replace("BARRIER", ""), ones(), ones(), at="y[thread")
    assert error.other_line == line_of(NEIGHBOUR, "tile[threadIdx.x] =")
    assert "__syncthreads()" in str(error)


def test_a_warp_is_not_always_in_sync():
    """Within one warp the lanes run in step here; it is a race all the same."""
    code = NEIGHBOUR.replace("BARRIER", "").replace("64", "32")
    error = fails(cuda.DataRace, code, ones(), ones(), at="y[thread", block=32)
    assert "__syncwarp()" in str(error)


def test_a_barrier_for_one_warp_is_no_advice_where_all_warps_of_a_block_read():
    """Though the two threads that are named are in one warp."""
    code = NEIGHBOUR.replace("BARRIER", "")
    error = fails(cuda.DataRace, code, ones(), ones(), at="y[thread")
    assert "`__syncwarp()` or" not in str(error)


ONE_PLACE = """
extern "C" __global__ void k(const float* x, float* y) {
  STORE
}
"""


@pytest.mark.parametrize(
    "store",
    [
        "y[0] = x[threadIdx.x];",
        "y[threadIdx.x / 32] = x[threadIdx.x];",
        "if (threadIdx.x % 2) y[0] = x[threadIdx.x];",
    ],
)
def test_no_barrier_is_advised_between_two_values_stored_at_once(store):
    code, x = ONE_PLACE.replace("STORE", store), np.arange(64, dtype=np.float32)
    advice = str(fails(cuda.DataRace, code, x, ones(), at=store))
    assert "sync" not in advice
    assert "let only one thread write there, give each thread its own element, or use an" in advice


def test_a_barrier_is_advised_where_another_round_of_the_loop_stored():
    store = "for (int i = 0; i < 3; ++i) y[(threadIdx.x + i) % 64] = threadIdx.x;"
    advice = str(fails(cuda.DataRace, ONE_PLACE.replace("STORE", store), ones(), ones(), at=store))
    assert "in different rounds of a loop" in advice
    assert "sync" in advice.partition("in different rounds of a loop")[2]


def test_an_atomic_is_advised_where_a_thread_writes_what_another_read_on_that_line():
    count = "__shared__ int n[64]; n[threadIdx.x] = 0; __syncthreads(); n[int(x[threadIdx.x])]++;"
    code = ONE_PLACE.replace("STORE", f"{count} __syncthreads(); y[threadIdx.x] = n[threadIdx.x];")
    assert "Use an atomic" in str(fails(cuda.DataRace, code, ones(), ones(), at=count))


@pytest.mark.parametrize(
    ("barrier", "threads"),
    [("__syncthreads();", 64), ("__syncwarp();", 32), ("__syncthreads();", 32)],
)
def test_a_barrier_makes_it_clean(barrier, threads):
    code = NEIGHBOUR.replace("BARRIER", barrier).replace("64", str(threads))
    x, y = np.arange(threads, dtype=np.float32), np.zeros(threads, np.float32)
    launch(code, x, y, block=threads)
    assert np.array_equal(y, np.roll(x, -1))


def test_a_warp_barrier_does_not_order_two_warps():
    code = NEIGHBOUR.replace("BARRIER", "__syncwarp();")
    fails(cuda.DataRace, code, ones(), ones(), at="y[thread")


def test_reading_then_overwriting_without_a_barrier_is_a_race():
    code = """
extern "C" __global__ void k(float* y) {
  __shared__ float tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  float next = tile[(threadIdx.x + 1) % 64];
  tile[threadIdx.x] = next;
  y[threadIdx.x] = next;
}
"""
    fails(cuda.DataRace, code, ones(), at="tile[threadIdx.x] = next")


def test_two_values_written_to_one_place_at_once_are_a_race():
    code = """
extern "C" __global__ void k(float* y) {
  __shared__ float last;
  last = threadIdx.x;
  __syncthreads();
  y[threadIdx.x] = last;
}
"""
    fails(cuda.DataRace, code, ones(), at="last = thread")


def test_one_value_written_by_all_is_only_a_warning():
    code = """
extern "C" __global__ void k(float* y) {
  __shared__ float flag;
  flag = y[99];
  __syncthreads();
  y[threadIdx.x] = flag;
}
"""
    with simulator.observe() as run:
        launch(code, ones(100))
    assert [hazard.warning for hazard in run.hazards] == [True]
    assert run.hazards[0].line == line_of(code, "flag = y")


def test_bytes_written_by_neighbouring_threads_are_no_race():
    code = """
extern "C" __global__ void k(unsigned char* y) {
  __shared__ unsigned char tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  y[threadIdx.x] = tile[63 - threadIdx.x];
}
"""
    y = np.zeros(64, np.uint8)
    launch(code, y)
    assert np.array_equal(y, np.arange(64)[::-1])


def test_checks_can_be_switched_off():
    with simulator.options(checks=False):
        launch(NEIGHBOUR.replace("BARRIER", ""), ones(), ones())


GUARDLESS = """
extern "C" __global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
}
"""


def test_a_missing_guard_is_out_of_bounds_at_the_first_thread_beyond():
    error = fails(
        cuda.OutOfBounds, GUARDLESS, ones(100), ones(128), np.int32(100), at="y[i]", grid=2
    )
    assert (error.block, error.thread) == ((1, 0, 0), (36, 0, 0))
    assert "reads `x[100]`, and `x` has 100 elements" in str(error)
    assert "If so, guard the access" in str(error)


def test_one_element_before_the_start_is_out_of_bounds():
    code = GUARDLESS.replace("x[i];", "x[i - 1];")
    error = fails(cuda.OutOfBounds, code, ones(), ones(), np.int32(64), at="y[i]")
    assert "reads `x[-1]`, before the first element of `x`" in str(error)


def test_a_null_pointer_is_called_one():
    assert "null pointer" in str(
        fails(cuda.OutOfBounds, GUARDLESS, None, ones(), np.int32(1), at="y[")
    )


def test_dynamic_shared_memory_ends_where_the_launch_said():
    code = """
extern "C" __global__ void k(float* y) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = 1.0f;
  y[threadIdx.x] = tile[threadIdx.x];
}
"""
    launch(code, ones(), shared_mem=256)
    error = fails(cuda.OutOfBounds, code, ones(), at="tile[threadIdx.x] =", shared_mem=252)
    assert "`tile[63]`, and `tile` has 63 elements" in str(error)


def test_a_pack_at_an_odd_address_is_misaligned():
    code = """
extern "C" __global__ void k(const float* x, float* y) {
  float4 v = *reinterpret_cast<const float4*>(x + 1 + 4 * threadIdx.x);
  y[threadIdx.x] = v.x + v.y + v.z + v.w;
}
"""
    fails(cuda.Misaligned, code, ones(512), ones(), at="float4 v")


def test_reading_what_nobody_wrote_in_shared_memory():
    code = """
extern "C" __global__ void k(float* y) {
  __shared__ float tile[64];
  if (threadIdx.x < 32) tile[threadIdx.x] = 1.0f;
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x];
}
"""
    error = fails(cuda.UninitializedRead, code, ones(), at="y[thread")
    assert error.thread == (32, 0, 0)


def test_reading_an_empty_array_and_knowing_what_was_written():
    y = simulator.empty(100, np.float32)
    with pytest.raises(cuda.UninitializedRead):
        launch(GUARDLESS, y, ones(), np.int32(64))
    launch(GUARDLESS, ones(), y, np.int32(64))
    assert simulator.written(y).sum() == 64


def test_a_barrier_inside_a_branch():
    code = """
extern "C" __global__ void k(float* y) {
  if (threadIdx.x < 40) {
    y[threadIdx.x] = 2.0f;
    __syncthreads();
  }
  y[threadIdx.x] += 1.0f;
}
"""
    error = fails(cuda.BarrierDivergence, code, ones(), at="__syncthreads")
    assert "24 of the block's 64 threads have left the kernel before it" in str(error)


def test_an_early_return_before_a_barrier():
    code = """
extern "C" __global__ void k(const float* x, float* y, int n) {
  __shared__ float tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  tile[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = tile[0];
}
"""
    launch(code, ones(), ones(), np.int32(64))
    fails(cuda.BarrierDivergence, code, ones(), ones(), np.int32(50), at="__syncthreads")


def test_threads_at_two_different_barriers():
    code = """
extern "C" __global__ void k(float* y) {
  if (threadIdx.x < 32) {
    y[threadIdx.x] = 1.0f;
    __syncthreads();
  } else {
    y[threadIdx.x] = 2.0f;
    __syncthreads();
  }
  y[threadIdx.x] += 1.0f;
}
"""
    with pytest.raises(cuda.BarrierDivergence, match="same `__syncthreads"):
        launch(code, ones())


def test_a_shuffle_that_names_lanes_which_do_not_come():
    code = """
extern "C" __global__ void k(float* y) {
  float v = threadIdx.x;
  if (threadIdx.x < 16) {
    v += __shfl_down_sync(0xffffffff, v, 8);
  }
  y[threadIdx.x] = v;
}
"""
    error = fails(cuda.ShuffleDivergence, code, ones(), at="v += ", block=32)
    assert "0xffffffff" in str(error)


def test_lanes_that_leave_while_others_wait_for_them_are_named():
    code = """
extern "C" __global__ void k(float* y) {
  float v = threadIdx.x;
  for (int offset = 16; offset > 0; offset /= 2) {
    if (threadIdx.x < offset) v += __shfl_down_sync(0xffffffff, v, offset);
  }
  if (threadIdx.x == 0) y[0] = v;
}
"""
    error = fails(cuda.ShuffleDivergence, code, ones(), at="if (threadIdx.x < offset)", block=32)
    assert "also names lanes 16 to 31" in str(error)


def test_a_shuffle_from_a_lane_outside_the_mask():
    code = """
extern "C" __global__ void k(float* y) {
  float v = threadIdx.x;
  if (threadIdx.x < 16) v += __shfl_down_sync(0x0000ffff, v, 8);
  y[threadIdx.x] = v;
}
"""
    error = fails(cuda.ShuffleDivergence, code, ones(), at="v += ", block=32)
    assert error.thread == (8, 0, 0)


OPERATIONS = {
    "a shuffle": "v += __shfl_xor_sync(mask, v, 1);",
    "a vote": "v += __any_sync(mask, v > 3.0f);",
    "a reduction": "v += __reduce_add_sync(mask, (int)v);",
    "a barrier of the warp": "__syncwarp(mask);",
}


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
@pytest.mark.parametrize("block", [32, 96])
def test_lanes_that_name_each_other_must_pass_the_same_mask(operation, block):
    code = f"""
extern "C" __global__ void k(float* y) {{
  float v = threadIdx.x;
  const int lane = threadIdx.x % 32;
  const unsigned mask = lane / 8 == 1 ? 0xff00 : 0xffffffff;
  {operation}
  y[threadIdx.x] = v;
}}
"""
    error = fails(cuda.ShuffleDivergence, code, ones(96), at=operation, block=block)
    assert "All lanes that a mask names must pass the same mask." in str(error)


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_groups_of_a_warp_may_each_have_their_mask(operation):
    code = f"""
extern "C" __global__ void k(float* y) {{
  float v = threadIdx.x;
  const unsigned mask = 0xffu << threadIdx.x % 32 / 8 * 8;
  {operation}
  y[threadIdx.x] = v;
}}
"""
    launch(code, ones(96), block=96)


def test_an_endless_loop_ends_with_the_line_it_was_on():
    code = """
extern "C" __global__ void k(volatile float* y) {
  while (y[0] < 5.0f) {
    y[1] = 3.0f;
  }
}
"""
    with simulator.options(step_limit=10_000), pytest.raises(cuda.StepLimit) as caught:
        launch(code, ones())
    assert caught.value.line in (3, 4)


def test_an_assert_that_fails_is_quoted():
    code = """
extern "C" __global__ void k(const float* x) {
  assert(x[threadIdx.x] > 2.0f);
}
"""
    with pytest.raises(cuda.CudaError, match=r"x\[threadIdx.x\] > 2.0f"):
        launch(code, ones())


def test_printf_prints_in_order_of_threads():
    code = r"""
extern "C" __global__ void k(const float* x) {
  if (threadIdx.x < 2)
    printf("thread %d: %.2f %s %5u|%lld\n", threadIdx.x, x[0], "ok", 7u, 1ll << 40);
}
"""
    with simulator.observe() as run:
        launch(code, ones())
    assert run.printed == (
        "thread 0: 1.00 ok     7|1099511627776\nthread 1: 1.00 ok     7|1099511627776\n"
    )


def test_an_unknown_instruction_is_named_with_its_line():
    code = """
extern "C" __global__ void k(float* y) {
  unsigned r;
  asm("vavrg4.u32.u32.u32 %0, 1, 2, 3;" : "=r"(r));
  y[0] = r;
}
"""
    error = fails(cuda.UnsupportedInstruction, code, ones(), at="asm")
    assert "vavrg4" in str(error)


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ((ones(), ones(), 64), "parameter 3 of k, `int n`, wants a NumPy scalar"),
        ((ones(), ones(), np.float32(64)), "wants int32, not float32"),
        ((ones(), ones(), np.int64(64)), "wants int32, not int64"),
        (
            (ones().astype(np.float64), ones(), np.int32(64)),
            "`float\\* x`, wants an array of float32",
        ),
        ((ones(), np.float32(1), np.int32(64)), "wants an array"),
        ((ones(), ones()), "takes 3 arguments"),
        ((ones(), ones(), ones()), "wants a single value"),
    ],
)
def test_a_wrong_argument_is_named(args, sentence):
    with pytest.raises(cuda.LaunchError, match=sentence):
        launch(GUARDLESS, *args)


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"block": 1025}, "1 to 1,024"),
        ({"block": (32, 64)}, "2048 threads"),
        ({"block": 0}, "block's x is 0"),
        ({"grid": (1, 70000)}, "grid's y is 70000"),
        ({"grid": 0}, "grid's x is 0"),
        ({"shared_mem": 50_000}, "shared memory"),
        ({"shared_mem": -4}, "negative"),
    ],
)
def test_a_launch_that_cuda_would_refuse(how, sentence):
    with pytest.raises(cuda.LaunchError, match=sentence):
        launch(GUARDLESS, ones(), ones(), np.int32(64), **how)


def test_a_kernel_of_another_name_lists_those_there_are():
    with pytest.raises(cuda.LaunchError, match=r"there is no kernel called 'sum'.*defines: k"):
        launch(GUARDLESS, name="sum")


def test_a_compile_error_is_in_the_learners_own_lines():
    code = 'extern "C" __global__ void k(float* y) {\n  y[0] = z;\n}\n'
    with pytest.raises(cuda.CompileError) as caught:
        launch(code, ones())
    assert caught.value.line == 2
    assert re.search(r"identifier \"z\" is undefined|undeclared identifier 'z'", str(caught.value))
    assert "y[0] = z;" in shown(caught.value.diagnostics, code)


def test_recursion_without_an_end_overflows_the_stack():
    code = """
__device__ __noinline__ int down(int n) {
  return n == -1 ? 0 : down(n + 1) * 3 + n;
}
extern "C" __global__ void k(int* y) {
  y[threadIdx.x] = down(threadIdx.x);
}
"""
    with pytest.raises(cuda.OutOfBounds, match="overflows its stack"):
        launch(code, np.zeros(64, np.int32))


def test_blocks_that_add_to_one_place_without_an_atomic():
    code = """
extern "C" __global__ void k(const float* x, float* total) {
  if (threadIdx.x == 0) total[0] += x[blockIdx.x];
}
"""
    error = fails(cuda.DataRace, code, ones(), ones(1), at="if (thread", grid=4)
    assert "of block 0" in str(error) and "atomic" in str(error)


def test_a_block_that_clears_what_others_add_to():
    code = """
extern "C" __global__ void k(float* total) {
  if (blockIdx.x == 0 && threadIdx.x == 0) total[0] = 0.0f;
  __syncthreads();
  atomicAdd(total, 1.0f);
}
"""
    fails(cuda.DataRace, code, ones(1), at="atomicAdd", grid=4)


LAST_BLOCK = """
__device__ unsigned finished;
extern "C" __global__ void k(const float* x, float* partial, float* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) partial[blockIdx.x] = x[blockIdx.x];
  BEFORE
  if (threadIdx.x == 0) {
    FENCE
    last = atomicAdd(&finished, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) atomicAdd(out, partial[threadIdx.x]);
}
"""


@pytest.mark.parametrize("grid", [4, 200])
def test_the_last_block_may_read_what_all_have_fenced_and_flagged(grid):
    code = LAST_BLOCK.replace("FENCE", "__threadfence();").replace("BEFORE", "")
    out = np.zeros(1, np.float32)
    launch(code, ones(256), ones(256), out, grid=grid, block=256)
    assert out[0] == grid


def test_the_last_block_without_a_fence():
    code = LAST_BLOCK.replace("FENCE", "").replace("BEFORE", "")
    fails(cuda.DataRace, code, ones(), ones(), ones(1), at="if (last", grid=4)


@pytest.mark.parametrize("elsewhere", ["", "__threadfence();"])
def test_a_proxy_fence_makes_no_write_known_to_other_blocks(elsewhere):
    code = LAST_BLOCK.replace("BEFORE", "").replace("if (last &&", f"{elsewhere} if (last &&")
    code = code.replace("FENCE", 'asm volatile("fence.proxy.async;" ::: "memory");')
    fails(cuda.DataRace, code, ones(), ones(), ones(1), at="if (last", grid=4)


def test_a_fence_by_one_thread_does_not_speak_for_the_others_before_a_barrier():
    code = LAST_BLOCK.replace("FENCE", "__threadfence();").replace("BEFORE", "")
    code = code.replace("threadIdx.x == 0) partial", "threadIdx.x == 63) partial")
    fails(cuda.DataRace, code, ones(), ones(), ones(1), at="if (last", grid=4)
    code = LAST_BLOCK.replace("FENCE", "__threadfence();").replace("BEFORE", "__syncthreads();")
    code = code.replace("threadIdx.x == 0) partial", "threadIdx.x == 63) partial")
    launch(code, ones(), ones(), ones(1), grid=4)


def test_a_neighbours_value_in_global_memory_needs_a_barrier_too():
    code = """
extern "C" __global__ void k(float* x) {
  float next = x[(threadIdx.x + 1) % 64];
  BARRIER
  x[threadIdx.x] = next;
}
"""
    launch(code.replace("BARRIER", "__syncthreads();"), ones())
    fails(cuda.DataRace, code.replace("BARRIER", ""), ones(), at="x[threadIdx.x] =")


def test_every_thread_writing_the_same_total_is_a_warning():
    code = """
extern "C" __global__ void k(const float* x, float* total) {
  *total = x[3];
}
"""
    with simulator.observe() as run:
        launch(code, ones(), ones(1), grid=3)
    assert {(hazard.line, hazard.warning) for hazard in run.hazards} == {(3, True)}


def test_halves_of_one_word_written_by_two_blocks_are_no_race():
    code = """
extern "C" __global__ void k(unsigned short* y) {
  y[blockIdx.x] = blockIdx.x;
}
"""
    launch(code, np.zeros(8, np.uint16), grid=8, block=1)


def test_order_is_passed_on_from_block_to_block():
    """0 fences and flags to 1, 1 fences and flags to 2, and 2 reads what 0 wrote."""
    code = """
extern "C" __global__ void k(float* data, int* flag) {
  int b = blockIdx.x;
  if (b == 0) {
    data[0] = 7.0f;
  } else {
    while (atomicAdd(&flag[b - 1], 0) == 0) {
    }
    FENCE
  }
  if (b == 2) data[1] = data[0];
  __threadfence();
  atomicExch(&flag[b], 1);
}
"""
    data, flag = ones(2), np.zeros(3, np.int32)
    launch(code.replace("FENCE", "__threadfence();"), data, flag, grid=3, block=1)
    assert data[1] == 7.0


def test_running_from_one_shared_array_into_the_next():
    code = """
extern "C" __global__ void k(float* y) {
  __shared__ float first[64], second[64];
  second[threadIdx.x] = y[threadIdx.x];
  first[threadIdx.x + 1] = y[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = first[63 - threadIdx.x] + second[63 - threadIdx.x];
}
"""
    error = fails(cuda.OutOfBounds, code, ones(), at="first[threadIdx.x + 1]")
    assert error.thread == (63, 0, 0)
    assert "writes `first[64]`, and `first` has 64 elements" in str(error)


def test_writing_through_a_pointer_to_const():
    code = """
extern "C" __global__ void k(const float* x, float* y) {
  float* sneaky = const_cast<float*>(x);
  sneaky[threadIdx.x] = 1.0f;
  y[threadIdx.x] = x[threadIdx.x];
}
"""
    assert "x" in str(fails(cuda.ConstWrite, code, ones(), ones(), at="sneaky[thread"))


def test_writing_to_an_array_that_numpy_calls_read_only():
    y = ones()
    y.flags.writeable = False
    fails(cuda.ConstWrite, GUARDLESS, ones(), y, np.int32(64), at="y[i]")


def test_a_race_shows_when_the_warps_run_in_a_shuffled_order():
    code = NEIGHBOUR.replace("BARRIER", "").replace("64", "256")
    x = np.arange(256, dtype=np.float32)
    results = set()
    for seed in range(8):
        y = np.zeros(256, np.float32)
        with simulator.options(order="shuffled", seed=seed, checks=False):
            launch(code, x, y, block=256)
        results.add(y.tobytes())
    assert len(results) > 1


def test_without_a_race_a_shuffled_order_changes_nothing():
    code = NEIGHBOUR.replace("BARRIER", "__syncthreads();").replace("64", "256")
    x, y = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
    for seed in range(4):
        with simulator.options(order="shuffled", seed=seed):
            launch(code, x, y, block=256)
        assert np.array_equal(y, np.roll(x, -1))


def test_launch_bounds_are_kept_to():
    code = """
extern "C" __global__ void __launch_bounds__(128) k(float* y) { y[threadIdx.x] = 1.0f; }
"""
    with pytest.raises(cuda.LaunchError, match="at most 128"):
        launch(code, ones(256), block=256)


def test_the_limits_are_those_of_the_architecture_named():
    code = """
extern "C" __global__ void k(float* y) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = y[threadIdx.x];
}
"""
    kernel = simulator.RawModule(code=code).get_function("k")
    kernel.max_dynamic_shared_size_bytes = 200 * 1024
    kernel(1, 64, (ones(),), shared_mem=200 * 1024)
    with simulator.options(architecture="sm_80"), pytest.raises(cuda.LaunchError, match="166,912"):
        kernel(1, 64, (ones(),), shared_mem=200 * 1024)


@pytest.mark.parametrize("operator", ["/", "%"])
def test_an_integer_divided_by_zero(operator):
    code = """
extern "C" __global__ void k(const int* x, int* y) {
  y[threadIdx.x] = 1000 / x[threadIdx.x];
}
""".replace("/", operator)
    x = np.arange(-5, 59, dtype=np.int32)
    error = fails(cuda.DivisionByZero, code, x, np.zeros(64, np.int32), at="y[thread")
    assert error.thread == (5, 0, 0)


def test_textures_and_tensor_cores_are_named_as_missing():
    texture = """
extern "C" __global__ void k(cudaTextureObject_t t, float* y) {
  y[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);
}
"""
    with pytest.raises(cuda.UnsupportedInstruction, match="tex"):
        launch(texture, np.uint64(0), ones())
    matrix = """
extern "C" __global__ void k(double* y) {
  double c0 = 0.0, c1 = 0.0;
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%2}, {%0,%1};"
               : "+d"(c0), "+d"(c1) : "d"(y[0]));
  y[threadIdx.x] = c0 + c1;
}
"""
    with pytest.raises(cuda.UnsupportedInstruction, match=r"line [45].*mma\.sync"):
        launch(matrix, np.ones(64), block=32)

    with pytest.raises(cuda.UnsupportedInstruction, match=r"line [45].*mma\.sync"):
        launch(matrix, np.ones(64), block=32)


THROUGH_A_STRUCT = r"""
struct Vector { int size; int* elements; };
extern "C" __global__ void shift(Vector v) {
  int i = threadIdx.x;
  if (i + 32 < v.size) v.elements[i] = v.elements[i + 32];
}
"""


def test_a_race_through_a_pointer_inside_a_struct():
    layout = np.dtype([("size", np.int32), ("elements", np.uint64)], align=True)
    x = np.arange(96, dtype=np.int32)
    vector = np.array([(96, simulator.address(x))], layout)[0]
    kernel = simulator.RawModule(code=THROUGH_A_STRUCT).get_function("shift")
    with pytest.raises(cuda.DataRace):
        kernel(1, 96, (vector,))


ADD_BY_COMPARISON = r"""
extern "C" __global__ void add(unsigned long long* sum) {
  __shared__ unsigned long long part;
  if (threadIdx.x == 0) part = 0;
  __syncthreads();
  for (unsigned long long* p : {&part, sum}) {
    unsigned long long old = *p, assumed;
    do {
      assumed = old;
      old = atomicCAS(p, assumed, __double_as_longlong(1.0 + __longlong_as_double(assumed)));
    } while (assumed != old);
  }
}
"""


def test_a_loop_of_compare_and_swap_may_start_from_a_plain_read():
    total = np.zeros(1)
    simulator.RawModule(code=ADD_BY_COMPARISON).get_function("add")(4, 64, (total.view(np.uint64),))
    assert total[0] == 256


def test_a_plain_write_still_races_with_a_compare_and_swap():
    code = """
    extern "C" __global__ void k(int* x) {
      if (blockIdx.x == 0) atomicCAS(x, 0, 1);
      else *x = 2;
    }"""
    with pytest.raises(cuda.DataRace):
        simulator.RawModule(code=code).get_function("k")(2, 1, (np.zeros(1, np.int32),))


def test_lanes_that_all_store_not_a_number_store_the_same():
    code = 'extern "C" __global__ void k(float* x) { x[0] = __int_as_float(0x7fffffff); }'
    x = np.zeros(1, np.float32)
    with simulator.observe() as run:
        simulator.RawModule(code=code).get_function("k")(1, 32, (x,))
    assert [hazard.warning for hazard in run.hazards] == [True]


POP = r"""
__device__ __noinline__ bool pop(int* top, int& value) {
  if (*top == 0) return false;
  value = 7;
  return true;
}
extern "C" __global__ void k(int* top, int* y) {
  int value;
  if (pop(top, value)) y[threadIdx.x] = value;
  else y[threadIdx.x] = -1;
}
"""


def test_a_local_variable_read_ahead_but_not_used_is_no_hazard():
    for top, expected in ((0, -1), (1, 7)):
        y = np.zeros(32, np.int32)
        simulator.RawModule(code=POP).get_function("k")(1, 32, (np.array([top], np.int32), y))
        assert y.tolist() == [expected] * 32


def test_a_sum_that_never_got_a_first_value_is_named_where_it_is_added_to():
    error = fails(cuda.UninitializedRead, UNSET_SUM, ones(), ones(), np.int32(64), at="sum +=")
    needed = line_of(UNSET_SUM, "y[threadIdx.x] =")
    assert f"never got a value. Line {needed} needs the result." in str(error)


UNSET_SUM = """
extern "C" __global__ void k(const float* x, float* y, int n) {
  float sum;
  for (int i = threadIdx.x; i < n; i += 32) sum += x[i];
  y[threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize(
    ("use", "line"),
    [
        ("y[threadIdx.x] = v;", "y[threadIdx.x]"),
        ("y[(int)v] = 1;", "y[(int)v]"),
        ("atomicAdd(y, v);", "atomicAdd"),
        ("y[threadIdx.x] = __shfl_sync(~0, v, 40 % n);", "y[threadIdx.x]"),
    ],
)
def test_a_variable_set_by_some_threads_only_is_named_where_the_others_need_it(use, line):
    code = SET_BY_SOME.replace("USE", use)
    error = fails(cuda.UninitializedRead, code, ones(), ones(), np.int32(5), at=line)
    assert error.thread[0] not in range(5)


SET_BY_SOME = """
extern "C" __global__ void k(const float* x, float* y, int n) {
  __shared__ float tile[64];
  float v;
  if (threadIdx.x < n) v = x[threadIdx.x];
  USE
}
"""


def test_a_variable_without_a_value_is_followed_through_shared_memory():
    use = "tile[threadIdx.x] = v;\n __syncthreads();\n if (threadIdx.x == 9) y[0] = 2 * tile[40];"
    code = SET_BY_SOME.replace("USE", use)
    error = fails(cuda.UninitializedRead, code, ones(), ones(), np.int32(5), at="2 * tile")
    assert error.thread == (9, 0, 0)


def test_a_variable_without_a_value_does_no_harm_in_what_is_not_chosen():
    code = SET_BY_SOME.replace("USE", "y[threadIdx.x] = threadIdx.x < n && v > 0 ? v : -1.0f;")
    y = ones()
    launch(code, ones(), y, np.int32(5))
    assert y.tolist() == [1] * 5 + [-1] * 59
