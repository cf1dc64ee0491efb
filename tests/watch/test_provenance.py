"""What a value was made of, as the simulated GPU has followed it."""

from functools import partial

import numpy as np
import pytest

from grader.cuda import simulator
from grader.machine.memory.allocations import allocation_of
from grader.watch.slice import Graph, TooLong, came_from, first_nan, inputs_of
from grader.watch.slice.observer import Slicer


class Followed:
    """A launch of a kernel `k(const float* x, float* y, int n)` on x = 1, 2, ..., n."""

    def __init__(self, body, *, n=64, out=8, grid=1, block=64, head="", launches=1):
        self.graph = Graph()
        code = f'{head}\nextern "C" __global__ void k(const float* x, float* y, int n) {{\n'
        code += (
            f"  const int t = threadIdx.x; const int i = blockIdx.x * blockDim.x + t;\n{body}\n}}"
        )
        self.x, self.y = np.arange(1, n + 1, dtype=np.float32), np.zeros(out, np.float32)
        module = simulator.RawModule(code=code)
        with simulator.observe(observers=[partial(Slicer, self.graph)]):
            for _ in range(launches):
                args = (self.x, self.y, np.int32(n))
                module.get_function("k")((grid,), (block,), args)

    def root(self, element):
        memory = self.graph.memory(allocation_of(self.y).address)
        return int(memory[element * 4])

    def times(self, element=0):
        """By index into x, how often it is in an element of y."""
        x = allocation_of(self.x).address
        found = inputs_of(self.graph, self.root(element))
        return {one.origin.offset // 4: one.times for one in found if one.origin.address == x}


SHARED_TREE = """
  __shared__ float s[64]; s[t] = x[i]; __syncthreads();
  for (int d = 32; d; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }
  if (t == 0) y[blockIdx.x] = s[0];"""
SHUFFLES = """
  float v = x[i];
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (t % 32 == 0) atomicAdd(y, v);"""


@pytest.mark.parametrize("body", [SHARED_TREE, SHUFFLES])
def test_a_sum_holds_every_element_once(body):
    assert Followed(body).times() == dict.fromkeys(range(64), 1)


def test_what_is_added_twice_is_in_it_twice():
    assert Followed("if (t == 0) y[0] = x[3] + x[5] + x[3];").times() == {3: 2, 5: 1}


def test_blocks_have_parts_of_their_own():
    run = Followed(SHARED_TREE, n=128, grid=2)
    assert run.times(0) == dict.fromkeys(range(64), 1)
    assert run.times(1) == dict.fromkeys(range(64, 128), 1)


def test_an_element_that_merely_chooses_is_not_in_it():
    assert Followed("if (t == 0) y[0] = x[0] > 0 ? x[1] : x[2];").times() == {1: 1}


def test_an_index_that_is_loaded_is_not_in_it():
    assert Followed("if (t == 0) y[0] = x[(int)x[4]];").times() == {5: 1}


def test_sixteen_bytes_are_four_elements():
    body = "if (t == 0) { float4 v = ((const float4*)x)[2]; y[0] = v.y + v.w; }"
    assert Followed(body).times() == {9: 1, 11: 1}


def test_a_loop_of_compare_and_swap_adds_what_each_thread_brings():
    body = """
  unsigned* a = (unsigned*)y; unsigned old = *a, seen;
  do { seen = old; old = atomicCAS(a, seen, __float_as_uint(__uint_as_float(seen) + x[t])); }
  while (old != seen);"""
    run = Followed(body, n=8, block=8)
    assert run.y[0] == 36 and run.times() == dict.fromkeys(range(8), 1)


def test_a_warp_wide_reduction_holds_what_all_lanes_bring():
    body = "int m = __reduce_max_sync(~0u, (int)x[t]); if (t == 0) y[0] = m;"
    assert Followed(body, n=32, block=32).times() == dict.fromkeys(range(32), 1)


def test_an_asynchronous_copy_is_followed():
    head = "#include <cuda_pipeline.h>"
    body = """
  __shared__ __align__(16) float s[64];
  if (t < 16) __pipeline_memcpy_async(&s[4 * t], &x[4 * t], 16);
  __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads();
  if (t == 0) y[0] = s[5] + s[6];"""
    run = Followed(body, head=head)
    assert run.y[0] == 13 and run.times() == {5: 1, 6: 1} and run.graph.whole


def test_a_later_launch_goes_on_with_what_an_earlier_one_left():
    body = "if (t == 0) y[0] += x[0]; if (t == 1) y[1] = x[1];"
    run = Followed(body, launches=3)
    assert run.times(0) == {0: 3} and run.times(1) == {1: 1}


def test_the_winner_of_a_maximum_is_known():
    run = Followed("if (t == 0) y[0] = fmaxf(fmaxf(x[2], x[9]), x[4]);")
    source = came_from(run.graph, run.root(0))
    assert run.graph.origin(source.found).offset == 9 * 4


def test_a_constant_that_wins_a_maximum_is_known():
    run = Followed("if (t == 0) y[0] = fmaxf(-x[2], 0.0f);")
    assert came_from(run.graph, run.root(0)).found == 0


def test_the_first_nan_is_found_where_it_arises():
    run = Followed("if (t == 0) {\n    float z = (x[0] - 1) / (x[1] - 2);\n    y[0] = z + 1;\n}")
    nan = first_nan(run.graph, run.root(0))
    assert run.graph.line(nan) == 5


def test_who_wrote_an_element_and_where_is_known():
    run = Followed("\n  if (t == 7) y[blockIdx.x] = x[i];", n=128, grid=2)
    root = run.root(1)
    assert run.graph.place(root) == (1, 7) and run.graph.line(root) == 5


def test_a_run_over_too_much_memory_is_not_followed():
    with pytest.raises(TooLong):
        Followed("if (t == 0) y[0] = x[0];", out=1 << 23)


def test_arithmetic_that_hands_nothing_on_has_computed_its_value():
    run = Followed("if (t == 0) y[0] = x[2] + 1;")
    source = came_from(run.graph, run.root(0))
    assert source.found == source.node > 0


def test_a_sum_is_followed_past_an_mbarrier_whose_arrivals_bring_no_number():
    body = """
  __shared__ float s[64];
  __shared__ unsigned long long bar;
  unsigned long long state;
  const unsigned b = __cvta_generic_to_shared(&bar);
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" :: "r"(b) : "memory");
  __syncthreads();
  s[t] = x[i];
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(b) : "memory");
  for (unsigned over = 0; !over;)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; "
                 "selp.u32 %0, 1, 0, p; }" : "=r"(over) : "r"(b) : "memory");
  if (t == 0) y[0] = s[3] + s[63];"""
    assert Followed(body).times() == {3: 1, 63: 1}
