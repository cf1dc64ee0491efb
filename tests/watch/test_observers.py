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
from grader.watch.silent_stores import SilentStores

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


STORES = """extern "C" __global__ void k(float* x, float2* y) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    tile[t] = 0.0f;
    __syncthreads();
    x[t] = t < 10 ? 1.0f : 0.0f;
    y[t] = make_float2(tile[63 - t], t % 2);
}"""


def test_silent_stores_are_those_of_the_value_that_lies_there():
    with simulator.observe(observers=[SilentStores]) as run:
        kernel = simulator.RawModule(code=STORES).get_function("k")
        kernel(1, 64, (np.zeros(64, np.float32), np.zeros(128, np.float32)))
    (seen,) = run.observers
    assert seen.stores == {4: 64, 6: 64, 7: 64}
    assert {line: seen.silent[line] for line in (4, 6, 7)} == {4: 0, 6: 54, 7: 32}
