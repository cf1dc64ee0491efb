"""How a launch's work is shared: the busiest thread, the busiest warp, the way between barriers."""

import numpy as np
import pytest

from grader.cuda import simulator
from grader.watch.paths import Paths, in_all


def paths(body: str, block: int = 64, grid: int = 1, times: int = 1) -> dict[str, int]:
    code = f'extern "C" __global__ void k(float* y, int n) {{\n{body}\n}}'
    kernel = simulator.RawModule(code=code).get_function("k")
    y = np.zeros(4096, np.float32)
    with simulator.observe(observers=(Paths,)) as run:
        for _ in range(times):
            kernel((grid,), (block,), (y, np.int32(1000)))
    return in_all(run.observers)


LOOP = "for (int i = {start}; i < n; i += {step}) y[blockIdx.x * n + i] += 1.0f;"
ALONE = f"if (threadIdx.x == 0) {LOOP.format(start=0, step=1)}"
WARP = f"if (threadIdx.x < 32) {LOOP.format(start='threadIdx.x', step=32)}"
SHARED = LOOP.format(start="threadIdx.x", step="blockDim.x")


def test_one_thread_that_does_all_has_a_path_as_long_as_all_of_the_work():
    assert paths(ALONE)["longest_path"] > 20 * paths(SHARED)["longest_path"]


def test_one_warp_that_does_all_has_a_path_of_its_share():
    alone, shared = (paths(body, block=256)["longest_path"] for body in (WARP, SHARED))
    assert 3 * shared < alone < 9 * shared


def test_a_wide_block_shortens_the_path():
    assert paths(SHARED, block=512)["longest_path"] < paths(SHARED, block=64)["longest_path"] / 3


def test_the_other_side_of_a_branch_counts_for_the_warp_and_not_for_the_thread():
    one = "for (int k = 0; k < n; k++) y[threadIdx.x] += 1.0f;"
    body = f"if (threadIdx.x % 2) {{ {one} }} else {{ {one.replace('1.0f', '2.0f')} }}"
    counted = paths(body, block=32)
    assert counted["busiest_warp"] == pytest.approx(2 * counted["longest_path"], rel=0.05)


def test_paths_of_launches_add_up_and_the_way_between_barriers_does_not():
    body = f"{SHARED}\n__syncthreads();\n{SHARED}\n__syncthreads();\n{SHARED}"
    once, twice = paths(body), paths(body, times=2)
    assert twice["longest_path"] == 2 * once["longest_path"]
    assert twice["busiest_warp"] == 2 * once["busiest_warp"]
    assert twice["longest_between_barriers"] == once["longest_between_barriers"]
    assert 2.5 < once["longest_path"] / once["longest_between_barriers"] < 3.5


def test_more_blocks_with_their_own_work_lengthen_no_path():
    assert paths(SHARED, grid=4)["longest_path"] == paths(SHARED)["longest_path"]
