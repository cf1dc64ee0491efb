"""A benchmark's variants and libraries at one size, made ready to run on sets of buffers, and only
those that give the right answer. Works with CuPy on a GPU, and with NumPy on the simulated one."""

from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from ..compilers.declared import parameters
from ..counted import counted
from ..course import Benchmark, Lesson, Variant
from ..course.model import Buffers
from ..cuda.limits import DeviceKernel, MakeModule, opted_in

FindKernel = Callable[..., DeviceKernel]  # by name, and whether it is launched cooperatively
Library = Callable[[Buffers], Callable[[], object]]
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
    launches = variant.launches(size)
    if not launches:
        raise Skipped("is not made for this size")
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
                tuple(arrays[arg] if isinstance(arg, str) else arg for arg in launch.args),
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


def run_of_library(prepare: Library, sets: Sequence[Buffers]) -> Run:
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
    if benchmark.decoded:
        answer = benchmark.decoded(answer)
    if answer.size != reference.size:
        raise Skipped(f"gave {counted(answer.size, 'number')} instead of {reference.size:,}")
    off = float(xp.abs(answer.reshape(-1) - reference.reshape(-1)).max())
    scale = float(xp.abs(reference).max())
    if not off <= benchmark.rtol * scale:  # NaN is not
        raise Skipped(f"gave an answer that is wrong by {off / scale:.1g} of its largest number")
