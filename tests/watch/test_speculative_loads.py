"""What is loaded before it is known whether it is wanted, and was never written: an error where
the value matters, and none where a choice discards it."""

import numpy as np
import pytest

from grader import cuda
from grader.cuda import simulator

FILLED = 40


def launch(value):
    """Threads below FILLED write their place of `s`; all load it as `v`, and as `w` by way of a
    shuffle; `y` gets the `value` of an expression."""
    code = f"""extern "C" __global__ void k(int* y, int n) {{
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t < n) s[t] = t + 1;
  __syncthreads();
  const int v = s[t], w = __shfl_sync(~0u, v, t);
  y[t] = {value};
}}"""
    y = np.zeros(64, np.int32)
    simulator.RawModule(code=code).get_function("k")(1, 64, (y, np.int32(FILLED)))
    return y


EXPECTED = np.where(np.arange(64) < FILLED, np.arange(64) + 1, 0)


@pytest.mark.parametrize(
    "value",
    [
        "t < n ? v : 0",
        "(t < n ? v + 5 : 5) - 5",  # computed with, and then discarded
        "t < n ? w : 0",  # by way of another lane
    ],
)
def test_a_load_that_a_choice_discards_is_no_uninitialized_read(value):
    assert (launch(value) == EXPECTED).all()


def test_a_discarded_load_of_a_threads_own_array_is_none_either():
    code = """extern "C" __global__ void k(int* y, int n) {
      int s[8]; const int t = threadIdx.x;
      for (int i = 0; i < n; ++i) s[(i + t) & 7] = t;
      const int v = s[(n + t) & 7], w = s[t & 7];
      y[t] = n > 8 ? v : w; }"""
    y = np.zeros(64, np.int32)
    simulator.RawModule(code=code).get_function("k")(1, 64, (y, np.int32(4)))
    assert (y == np.arange(64)).all()


@pytest.mark.parametrize("value", ["v", "t <= n ? v : 0", "t < n ? 0 : v + 2", "t == 63 ? w : 0"])
def test_one_that_is_kept_is_reported_where_it_was_read(value):
    with pytest.raises(cuda.UninitializedRead) as caught:
        launch(value)
    assert caught.value.line == 6
    assert "`s[" in str(caught.value) and "nobody has written yet" in str(caught.value)


def test_the_thread_that_is_named_is_one_whose_value_matters():
    with pytest.raises(cuda.UninitializedRead, match="thread 50 of block 0 reads `s\\[50\\]`"):
        launch("t == 50 || t < n ? v : 0")


def test_a_sort_of_whole_blocks_by_merging_is_clean():
    """It loads past the end of a run before it asks whether the run has ended."""
    code = """#include <cub/block/block_merge_sort.cuh>
    struct Less { __device__ bool operator()(int a, int b) const { return a < b; } };
    extern "C" __global__ void k(int* x) {
      using Sort = cub::BlockMergeSort<int, 64, 2>;
      __shared__ typename Sort::TempStorage kept;
      int keys[2] = {x[2 * threadIdx.x], x[2 * threadIdx.x + 1]};
      Sort(kept).Sort(keys, Less());
      x[2 * threadIdx.x] = keys[0], x[2 * threadIdx.x + 1] = keys[1]; }"""
    x = np.random.default_rng(0).integers(0, 1000, 128).astype(np.int32)
    expected = np.sort(x)
    simulator.RawModule(code=code).get_function("k")(1, 64, (x,))
    assert (x == expected).all()
