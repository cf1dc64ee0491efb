"""Observers of the simulated GPU: who asks is told, and nobody else knows of them."""

import ast
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from grader import cuda
from grader.cuda import simulator
from grader.machine.events import Observer
from grader.machine.lanes import count, lane_index
from grader.watch.counters import Paths, in_all

ROOMS = Path(simulator.__file__).parents[1]
KERNEL = """extern "C" __global__ void k(float* x, int n) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    tile[t] = x[t];
    __syncthreads();
    float v = tile[63 - t];
    if (t < n) atomicAdd(&x[0], v);
    v += __shfl_down_sync(0xffffffffu, v, 1);
    x[t + 64] = v;
}"""


class Everything(Observer):
    """Counts what it is told, and how many lanes executed each instruction."""

    def __init__(self, report):
        self.code = report.wave.kernel.instructions
        self.heard, self.executed, self.sources = Counter(), Counter(), []

    def execute(self, at, step):
        def counted(lanes):
            self.executed[self.code[at].form.name] += count(lanes)
            return step(lanes)

        return counted

    def access(self, done):
        self.heard[done.kind, done.hit.space] += len(lane_index(done.hit.lanes))

    def barrier(self, at, lanes, part):
        self.heard["barrier"] += count(lanes)

    def shuffled(self, at, lanes, source):
        self.sources += source.tolist()

    def branch(self, at, lanes, taken):
        self.heard["branch"] += count(lanes)

    def complete(self):
        self.heard["complete"] += 1

    def end(self):
        self.heard["end"] += 1


def launch(n: int, source: str = KERNEL) -> Everything:
    with simulator.observe(observers=[Everything]) as run:
        kernel = simulator.RawModule(code=source).get_function("k")
        kernel(1, 64, (np.zeros(128, np.float32), np.int32(n)))
    (observer,) = run.observers
    return observer


def test_an_observer_is_told_what_happens_and_to_which_lanes():
    seen = launch(10)
    assert seen.heard["load", "global"] == seen.heard["store", "global"] == 64
    assert seen.heard["load", "shared"] == seen.heard["store", "shared"] == 64
    assert seen.heard["atomic", "global"] == 10
    assert seen.heard["barrier"] == 64
    assert seen.executed["bar"] == seen.executed["shfl"] == 64
    assert seen.sources[:3] == [1, 2, 3] and seen.sources[31] == 31
    assert seen.heard["complete"] == seen.heard["end"] == 1


def test_each_launch_has_an_observer_of_its_own():
    with simulator.observe(observers=[Everything]) as run:
        kernel = simulator.RawModule(code=KERNEL).get_function("k")
        for n in (1, 2):
            kernel(1, 64, (np.zeros(128, np.float32), np.int32(n)))
    assert [one.heard["atomic", "global"] for one in run.observers] == [1, 2]


def test_a_launch_that_fails_comes_to_an_end_but_is_not_complete():
    with simulator.observe(observers=[Everything]) as run, pytest.raises(cuda.OutOfBounds):
        kernel = simulator.RawModule(code=KERNEL).get_function("k")
        kernel(1, 64, (np.zeros(100, np.float32), np.int32(1)))
    assert run.observers[0].heard["end"] == 1
    assert run.observers[0].heard["complete"] == 0


@pytest.mark.parametrize("room", ["ptx", "machine"])
def test_no_room_below_the_observers_names_one(room):
    """Neither imports one nor knows a launch's races, counters or trace by name."""
    below = list((ROOMS / room).rglob("*.py"))
    assert len(below) > 10
    for path in below:
        tree = ast.parse(path.read_text())
        imported = [
            node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
        ]
        assert not {"watch", "say"} & {part for name in imported for part in name.split(".")}, path
        named = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        assert not named & {"races", "uninitialized", "watch", "observed", "run_log"}, path


def test_what_is_seen_is_worded_elsewhere():
    """A room that finds something imports none of the sentences."""
    for path in (ROOMS / "watch").rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text()))
        imported = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
        assert not [name for name in imported if name.split(".")[0] == "say"], path


# --- how a launch's work is shared: the busiest thread and warp, the way between barriers ---------


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
