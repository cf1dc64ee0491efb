"""A benchmark on this machine's GPU: who takes part at each size, and how long each takes, under
the same conditions for everything that is compared.

The GPU is held back by a kernel that spins until a whole round is queued, so that the host's speed
is not in the times. In a round everybody runs once, in a random order. Every run takes the next
set of buffers, and so many sets there are that what was in the L2 cache is gone when a set's turn
comes again; what a run leaves there to be written back is paid for by whoever comes next.

A benchmark's variants and libraries at one size, made ready to run on sets of buffers, and only
those that give the right answer. Works with CuPy on a GPU, and with NumPy on the simulated one.
"""

import itertools
import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache, partial
from importlib.metadata import distributions
from types import ModuleType
from typing import Any

import cupy
import numpy as np
from cupy.cuda import Event, get_elapsed_time, runtime

from ..compilers.parameters import parameters
from ..course.model import Benchmark, Buffers, Lesson, Variant
from ..cuda import CudaError, arguments, gpu
from ..cuda.limits import DeviceKernel, MakeModule, opted_in
from ..errors import counted, unless
from .timings import Begins, Device, Finding, Size, Timings, gathered, size_text, timing

FindKernel = Callable[..., DeviceKernel]  # by name, and whether it is launched cooperatively
Run = Callable[[int], object]  # does the work on the set of buffers of that number


class Skipped(Exception):
    """Why somebody does not take part: the end of a sentence that begins with who."""


def kernels(lesson: Lesson, variant: Variant, make_module: MakeModule) -> FindKernel:
    """Finds the kernels of the variant's files by name; a file is compiled when it is needed."""
    names = (variant.source,) if isinstance(variant.source, str) else variant.source
    codes = [(lesson.path / name).read_text(encoding="utf-8") for name in names]
    module = cache(
        lambda code, together: make_module(code=code, enable_cooperative_groups=together)
    )

    def find(kernel: str, together: bool = False) -> DeviceKernel:
        defining = [code for code in codes if parameters(code, kernel) is not None]
        # Which says so if there is none.
        return module((defining or codes)[0], together).get_function(kernel)

    return find


def run_of_variant(
    variant: Variant, function: FindKernel, size: tuple[int, ...], sets: Sequence[Buffers]
) -> Run:
    """The variant's launches one after the other; `function` finds its kernels by name."""
    launches = unless(variant.launches(size), Skipped("is not made for this size"))
    found = [
        opted_in(function(launch.kernel, launch.cooperative), launch.shared_mem)
        for launch in launches
    ]
    bound = [
        [
            (
                kernel,
                launch.grid,
                launch.block,
                arguments(launch.args, arrays),
                launch.shared_mem,
            )
            for kernel, launch in zip(found, launches, strict=True)
        ]
        for arrays in sets
    ]

    def run(number: int) -> None:
        for kernel, grid, block, args, shared_mem in bound[number]:
            kernel(grid, block, args, shared_mem=shared_mem)

    return run


def run_of_library(
    prepare: Callable[[Buffers], Callable[[], object]], sets: Sequence[Buffers]
) -> Run:
    """Raises Skipped where the library is missing or cannot do it."""
    calls = [prepare(arrays) for arrays in sets]
    return lambda number: calls[number]()


def validate(
    benchmark: Benchmark, run: Run, arrays: Buffers, reference: Any, xp: ModuleType
) -> None:
    """Run twice on the set of buffers number 0, `arrays`, and look at the second answer: the
    first may owe something to buffers that nobody had used. Raises Skipped if it is wrong."""
    run(0)
    result = arrays[benchmark.result]
    result.reshape(-1).view(np.uint8).fill(0xFF)  # every float is NaN
    returned = run(0)
    answer = xp.asarray(result if returned is None else returned)
    answer = benchmark.decoded(answer) if benchmark.decoded else answer
    unless(
        answer.size == reference.size,
        Skipped(f"gave {counted(answer.size, 'number')} instead of {reference.size:,}"),
    )
    off = float(xp.abs(answer.reshape(-1) - reference.reshape(-1)).max())
    scale = float(xp.abs(reference).max())
    unless(
        off <= benchmark.rtol * scale,  # NaN is not
        Skipped(f"gave an answer that is wrong by {off / scale:.1g} of its largest number"),
    )


Prepare = Callable[[list[Buffers]], Run]  # of sets of buffers, at one size


def measure(
    lesson: Lesson,
    benchmark: Benchmark,
    device: Device,
    report: Callable[[str], object],
) -> Timings:
    """The timings of the benchmark at its sizes; `report` is told of each size before it. `device`
    is what the function of that name gives."""
    return gathered(benchmark, device, findings(lesson, benchmark, device), report)


def findings(
    lesson: Lesson,
    benchmark: Benchmark,
    device: Device,
    first: int = 0,
    left: frozenset[tuple[str, Size]] = frozenset(),
) -> Iterator[Finding]:
    """All findings at the benchmark's sizes from number `first` on, without the entrants in `left`.
    Before a measurement that may take long, the entrant's name comes first."""
    variants, libraries = benchmark.variants.items(), benchmark.libraries.items()
    loaded = {name: kernels(lesson, one, gpu.RawModule) for name, one in variants}
    for size in benchmark.sizes[first:]:
        entrants: dict[str, Prepare] = {
            **{
                name: partial(run_of_variant, one, loaded[name], size)
                for name, one in variants
                # Else it is not made for this size: a gap in the table.
                if one.launches(size) and (name, size) not in left
            },
            **{
                name: partial(run_of_library, one)
                for name, one in libraries
                if (name, size) not in left
            },
        }
        with warnings.catch_warnings(action="ignore"):  # what libraries remark on their own work
            yield from _at(benchmark, size, entrants, device)
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
        # As many sets of buffers as are needed until the first is cold again, and as fit.
        needed = math.ceil(COLD * _attribute("L2CacheSize") / moved) + 1
        copies = range(  # each run finds its own cold
            max(1, min(needed, int(MOST_MEMORY * runtime.memGetInfo()[0] / held), 64)) - 1
        )
        sets = [first, *({name: one.copy() for name, one in first.items()} for _ in copies)]
        reference = benchmark.reference(sets[0])
    except Exception as error:
        if not _out_of_memory(error):
            raise
        yield f"{size_text(size)} does not fit into this GPU's memory."
        return
    runs = {}
    for name, prepare in entrants.items():
        yield Begins(name, size)
        try:
            run = prepare(sets)
            validate(benchmark, run, sets[0], reference, cupy)
            runs[name] = run
        except Exception as error:
            yield _sentence(name, size, error, ours=name in benchmark.variants)
    yield Begins("", size)
    yield from (
        timing(benchmark, name, size, taken, device.copy_gb_per_s)
        for name, taken in zip(runs, times([*runs.values()], len(sets), moved), strict=True)
    )


def _sentence(name: str, size: Size, error: Exception, ours: bool) -> str:
    """Why `name` does not take part. What a library raises is not for us to foresee; a bug of
    our own shall be seen."""
    at = f"{name} at {size_text(size)}"
    if isinstance(error, ImportError):
        return f"{name} is not installed here."
    if isinstance(error, Skipped):
        return f"{at} {error}."
    if _out_of_memory(error):
        return f"{at} does not fit into this GPU's memory."
    unless(not ours or isinstance(error, CudaError), error)
    return f"{at} failed: {type(error).__name__}: {str(error).partition(chr(10))[0]}"


def _out_of_memory(error: Exception) -> bool:
    return type(error).__name__ == "OutOfMemoryError"  # CuPy's and PyTorch's


COLD = 5  # times the L2 cache is read or written between two runs on the same buffers
MOST_MEMORY = 0.4  # of what is free; references and libraries need some as well
FEWEST_ROUNDS, MOST_ROUNDS, WARM_UP = 5, 60, 2
SECONDS = 0.3  # on the GPU, for each of those compared
COPIED = 1 << 31  # bytes
FP32_LANES = 128  # of a multiprocessor, since Ampere's 8.6; one fused multiply-add a cycle each


_SPIN = """
extern "C" __global__ void spin(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {}
}
"""
_MOST_HELD = 0.05  # seconds; a library that waits for the GPU would wait so long in each round


def times(runs: Sequence[Run], sets: int, bytes_moved: int) -> list[list[float]]:
    """For each of `runs`, its times in ms. What a few sets of little cannot push out of the L2
    cache, a read of something large does before each run."""
    spin = gpu.RawModule(code=_SPIN).get_function("spin")
    cold = sets * bytes_moved >= COLD * _attribute("L2CacheSize")
    stale = cupy.zeros(0 if cold else COLD * _attribute("L2CacheSize") // 4, cupy.float32)
    total = cupy.empty((), cupy.float32)
    order, turn = np.random.default_rng(0), itertools.cycle(range(sets))
    found: list[list[float]] = [[] for _ in runs]
    held = _MOST_HELD
    for number in range(1, WARM_UP + MOST_ROUNDS + 1):
        spin((1,), (1,), (np.int64(held * _clock_hertz()),))  # nobody waits for it
        began, marks = time.perf_counter(), []
        for i in order.permutation(len(runs)):
            if not cold:
                stale.sum(out=total)
            start, end = Event(), Event()
            start.record()
            runs[i](next(turn))
            end.record()
            marks.append((i, start, end))
        held = min(1.5 * (time.perf_counter() - began), _MOST_HELD)
        cupy.cuda.Device().synchronize()
        if number > WARM_UP:
            for i, start, end in marks:
                found[i].append(get_elapsed_time(start, end))
        if number >= WARM_UP + FEWEST_ROUNDS and sum(map(sum, found)) > SECONDS * 1e3 * len(runs):
            break
    return found


def device() -> Device:
    """This machine's GPU, its copy measured now: what the largest one that is sure to fit reads and
    writes a second."""
    size = min(COPIED, runtime.memGetInfo()[0] // 4)
    source, target = cupy.ones(size, cupy.uint8), cupy.empty(size, cupy.uint8)
    (taken,) = times([lambda _: cupy.copyto(target, source)], 1, 2 * size)
    return Device(
        name=runtime.getDeviceProperties(0)["name"].decode(),
        date=date.today().isoformat(),
        copy_gb_per_s=round(float(2 * size / np.median(taken) / 1e6)),
        peak_gflop_per_s=round(
            _attribute("MultiProcessorCount") * FP32_LANES * 2 * _clock_hertz() / 1e9
        ),
        l2_bytes=_attribute("L2CacheSize"),
        versions={
            "CUDA driver": _cuda_version(runtime.driverGetVersion()),
            "CUDA runtime": _cuda_version(runtime.runtimeGetVersion()),
            "CuPy": cupy.__version__,
        },
    )


def libraries() -> dict[str, str]:
    """The versions of the libraries that may have been measured: those that are installed."""
    names = {
        "PyTorch": "torch",
        "Triton": "triton",
        "QuACK": "quack-kernels",
        "CUTLASS DSL": "nvidia-cutlass-dsl",
    }
    here = {str(each.name).lower().replace("_", "-"): each.version for each in distributions()}
    return {name: here[package] for name, package in names.items() if package in here}


def _clock_hertz() -> float:
    return _attribute("ClockRate") * 1e3


@cache
def _attribute(name: str) -> int:
    return int(cupy.cuda.Device().attributes[name])


def _cuda_version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"
