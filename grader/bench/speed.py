"""`grader bench --device simulator`: how fast the simulated GPU is, beside what it should be.

The kernels are the online softmax of microbenchmarks/softmax.cu, 256 threads per row, and, for the
grid's size, the block sum by shuffles. Times are the best of several; compiling is not in them.
"""

import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass
from timeit import Timer

import numpy as np

from ..cuda import simulator
from ..cuda.work import Work, buffers_of
from ..profiler.profile import one_by_one
from . import microbenchmarks

WIDE = (128, 32_768)  # rows, columns
SMALL_COLUMNS = 2_048
BLOCKS = (1, 10, 100, 1_000, 10_000)
MOST_REPEATS = 10
ENOUGH = 2.0  # seconds: a launch is repeated until it took that long in all


@dataclass(frozen=True)
class Figure:
    """One measured figure. `target` bounds it from above, or from below if `at_least`; None where
    there is nothing to reach."""

    what: str
    unit: str
    value: float
    target: float | None = None
    at_least: bool = False

    @property
    def reached(self) -> bool | None:
        sign = -1 if self.at_least else 1
        return None if self.target is None else sign * self.value <= sign * self.target


class Ready:
    """A work of one launch: compiled, its buffers made."""

    def __init__(self, work: Work):
        (self.run,) = one_by_one(work, simulator.RawModule, buffers_of(work, np.array, np.empty))

    def seconds(self, checks: bool) -> float:
        """The best of some runs."""
        timer = Timer(self.run, "import gc; gc.enable()")  # a run makes garbage, and pays for it
        with simulator.options(checks=checks):
            first = timer.timeit(1)
            return min([first, *timer.repeat(min(MOST_REPEATS - 1, int(ENOUGH / first)), 1)])

    def observed(self) -> simulator.Run:
        """The run's counters and steps."""
        with simulator.options(checks=False), simulator.observe() as run:
            self.run()
        return run


def measure() -> Iterator[Figure]:
    """All figures, each as soon as it is there."""
    wide, one = (Ready(microbenchmarks.softmax(*size)) for size in (WIDE, (1, SMALL_COLUMNS)))
    instructions = wide.observed().counters.total["thread_inst_executed"]
    steps = one.observed().steps  # of the machine, however few threads take them
    yield from (
        Figure(f"{what}, {said}", unit, ready.seconds(checks) / number * per_second, target)
        for what, ready, number, unit, per_second, *targets in (
            (f"a thread's instruction, {WIDE[0]} blocks", wide, instructions, "ns", 1e9, 3.0, 1.2),
            ("an instruction step, one block", one, steps, "µs", 1e6, 10.0, 6.0),
        )
        for said, checks, target in zip(
            ("all checks", "no checks"), (True, False), targets, strict=True
        )
    )
    yield from _many_blocks()


def _many_blocks() -> Iterator[Figure]:
    """The cost grows with the work, the memory does not."""
    times, memory = {}, {}
    for blocks in BLOCKS:
        many = Ready(microbenchmarks.block_sums(256 * blocks))
        times[blocks], memory[blocks] = many.seconds(True), _peak_bytes(many)
        yield Figure(f"{blocks:,} block{'s' if blocks > 1 else ''}", "ms", times[blocks] * 1e3)
    most, fewer = BLOCKS[-1], BLOCKS[-2]
    growth = times[most] / times[fewer] / (most / fewer)
    yield from (
        Figure(f"time of {most:,} blocks over that of {fewer:,}, per block", "x", growth, 1.1),
        Figure(f"memory at its peak, {fewer:,} blocks", "MB", memory[fewer] / 1e6),
        Figure(
            f"memory of {most:,} blocks over that of {fewer:,}",
            "x",
            memory[most] / memory[fewer],
            1.1,
        ),
    )


def _peak_bytes(launched: Ready) -> int:
    """What a launch allocates at most at one time, its buffers not counted."""
    tracemalloc.start()
    launched.run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak
