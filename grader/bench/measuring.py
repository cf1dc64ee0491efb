"""A benchmark on this machine's GPU: who takes part at each size, and how long each takes."""

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import cupy

from ..counted import counted
from ..course import Benchmark, Lesson
from ..course.model import Buffers
from ..cuda import gpu
from ..cuda.errors import CudaError
from . import runner, stopwatch
from .timings import Device, Size, Timing, Timings, size_text, timing

Prepare = Callable[[list[Buffers]], runner.Run]  # of sets of buffers, at one size


@dataclass(frozen=True)
class Begins:
    """That what follows is about `name` at `size`; "" is all together."""

    name: str
    size: Size


Finding = Begins | Timing | str
Left = frozenset[tuple[str, Size]]  # who is left out, and at which size


def measure(
    lesson: Lesson,
    benchmark: Benchmark,
    device: Device,
    report: Callable[[str], object],
) -> Timings:
    """The timings of the benchmark at its sizes; `report` is told of each size before it. `device`
    is stopwatch.device()."""
    return gathered(benchmark, device, findings(lesson, benchmark, device), report)


def gathered(
    benchmark: Benchmark,
    device: Device,
    found: Iterable[Finding],
    report: Callable[[str], object],
) -> Timings:
    """What was `found`, as one."""
    rows: list[Timing] = []
    skipped: list[str] = []
    for one in found:
        if isinstance(one, Timing):
            rows.append(one)
        elif isinstance(one, str):
            skipped.append(one)
        else:
            number = benchmark.sizes.index(one.size) + 1
            at = f"{benchmark.name} at {size_text(one.size)}"
            report(f"{at}, {number} of {counted(len(benchmark.sizes), 'size')}: {one.name}")
    left = tuple(dict.fromkeys(skipped))
    return Timings(benchmark.name, benchmark.title, device, tuple(rows), left, benchmark.extents)


def findings(
    lesson: Lesson, benchmark: Benchmark, device: Device, first: int = 0, left: Left = frozenset()
) -> Iterator[Finding]:
    """Everything that is found at the benchmark's sizes from number `first` on, without those who
    are `left` out; in front of what may take long, who begins."""
    variants, libraries = benchmark.variants.items(), benchmark.libraries.items()
    kernels = {name: runner.kernels(lesson, one, gpu.RawModule) for name, one in variants}
    for size in benchmark.sizes[first:]:
        entrants: dict[str, Prepare] = {
            name: partial(runner.run_of_variant, one, kernels[name], size) for name, one in variants
        }
        entrants |= {name: partial(runner.run_of_library, one) for name, one in libraries}
        taking_part = {name: one for name, one in entrants.items() if (name, size) not in left}
        with warnings.catch_warnings(action="ignore"):  # what libraries remark on their own work
            yield from _at(benchmark, size, taking_part, device)
        # What CuPy and PyTorch hold for this size. PyTorch compiles a function for few sizes, and
        # then runs it uncompiled without a word.
        cupy.get_default_memory_pool().free_all_blocks()
        if torch := sys.modules.get("torch"):
            torch.cuda.empty_cache()
            torch.compiler.reset()


def _at(
    benchmark: Benchmark, size: Size, entrants: Mapping[str, Prepare], device: Device
) -> Iterator[Finding]:
    """A timing of everybody who takes part at `size`, a sentence about everybody else."""
    moved = benchmark.bytes(size)
    yield Begins("", size)
    try:
        first = benchmark.arrays(cupy, size)
        held = sum(array.nbytes for array in first.values())
        copies = range(stopwatch.sets_of_buffers(moved, held) - 1)  # each run finds its own cold
        sets = [first, *({name: one.copy() for name, one in first.items()} for _ in copies)]
        reference = benchmark.reference(sets[0])
    except Exception as error:
        if not _out_of_memory(error):
            raise
        yield f"{size_text(size)} does not fit into this GPU's memory."
        return
    runs = {}
    for name, prepare in entrants.items():
        if name in benchmark.variants and not benchmark.variants[name].launches(size):
            continue  # not made for this size: a gap in the table says so
        yield Begins(name, size)
        try:
            run = prepare(sets)
            runner.validate(benchmark, run, sets[0], reference, cupy)
            runs[name] = run
        except Exception as error:
            yield _sentence(name, size, error, ours=name in benchmark.variants)
    yield Begins("", size)
    for name, taken in zip(runs, stopwatch.times([*runs.values()], len(sets), moved), strict=True):
        yield timing(benchmark, name, size, taken, device.copy_gb_per_s)


def _sentence(name: str, size: Size, error: Exception, ours: bool) -> str:
    """Why `name` does not take part. What a library raises is not for us to foresee; a bug of
    our own shall be seen."""
    at = f"{name} at {size_text(size)}"
    if isinstance(error, ImportError):
        return f"{name} is not installed here."
    if isinstance(error, runner.Skipped):
        return f"{at} {error}."
    if _out_of_memory(error):
        return f"{at} does not fit into this GPU's memory."
    if ours and not isinstance(error, CudaError):
        raise error
    return f"{at} failed: {type(error).__name__}: {str(error).partition(chr(10))[0]}"


def _out_of_memory(error: Exception) -> bool:
    return type(error).__name__ == "OutOfMemoryError"  # CuPy's and PyTorch's
