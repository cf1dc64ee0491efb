"""Launches to measure, and how each device runs them; then what a kernel costs, line by line,
beside the least it could cost, what limits a launch, and what to do about the line that wastes most
of each resource.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from .. import course
from ..compilers.parameters import DTYPES
from ..cuda import arguments, limits, simulator
from ..cuda.work import Blank, Work, buffers_of
from ..errors import BadInput, counted, unless
from ..watch.counters import METRICS, Counters
from ..whole_files import read_text


def of_exercise(exercise: course.Exercise, case: course.Case, source: str) -> Work:
    """What `case` of the exercise launches, with the numbers it draws from seed 0."""
    problem = case.problem(np.random.default_rng(0))
    return Work(
        *(exercise.id, source, problem.launches, problem.inputs),
        blank={
            **{key: (want.value.shape, want.dtype) for key, want in problem.outputs.items()},
            **problem.scratch,
        },
        begins=problem.begins,
    )


def simulate(work: Work) -> simulator.Run:
    """Everything seen while the simulated GPU did the work. Raises CudaError."""
    with simulator.observe() as run:
        launch_all(work, simulator.RawModule, buffers_of(work, np.array, simulator.empty))
    return run


def run_on_gpu(work: Work) -> None:
    """Nothing but the work's own kernels runs on the GPU: buffers are only copied there."""
    import cupy

    from ..cuda import gpu

    launch_all(work, gpu.RawModule, buffers_of(work, cupy.asarray, cupy.empty))
    cupy.cuda.Device().synchronize()


def launch_all(work: Work, make_module: limits.MakeModule, buffers: dict[str, object]) -> None:
    """The work's launches, one after the other, on these buffers. Raises CudaError."""
    for launch in one_by_one(work, make_module, buffers):
        launch()


def one_by_one(
    work: Work, make_module: limits.MakeModule, buffers: dict[str, object]
) -> Iterator[Callable[[], None]]:
    """What does each of the work's launches when it is called. Raises CudaError."""
    module = make_module(
        code=work.source,
        enable_cooperative_groups=any(launch.cooperative for launch in work.launches),
    )
    yield from (
        partial(
            limits.opted_in(module.get_function(launch.kernel), launch.shared_mem),
            launch.grid,
            launch.block,
            arguments(launch.args, buffers),
            shared_mem=launch.shared_mem,
        )
        for launch in work.launches
    )


# kernel, grid, block, bytes of shared memory, arguments, as they are written
def work_of_file(
    path: Path, launch: tuple[str | None, str | None, str | None, int, list[str]]
) -> Work:
    """The launch described on a command line, of a kernel in the file. Raises BadInput, and
    CompileError if it takes compiling to know which kernel is meant."""
    source = read_text(path)
    kernel, grid, block, shared, texts = launch
    if grid is None or block is None:
        raise BadInput("Say how to launch it: --grid and --block, or --exercise LESSON/NAME.")
    if not kernel:
        names = simulator.RawModule(code=source).kernel_names
        unless(
            len(names) == 1,
            BadInput(f"Say which kernel, with --kernel: {', '.join(names) or 'there is none'}."),
        )
        kernel = names[0]
    given = {f"argument {n}": _argument(text) for n, text in enumerate(texts, start=1)}
    values = tuple(one if isinstance(one, np.generic) else name for name, one in given.items())
    return Work(
        path.name,
        source,
        (course.Launch(kernel, dimensions(grid), dimensions(block), values, shared),),
        {name: one for name, one in given.items() if isinstance(one, np.ndarray)},
        {name: one for name, one in given.items() if isinstance(one, tuple)},
    )


def work_of_exercise(path: Path, exercise_id: str, root: Path) -> Work:
    """The file's kernels, launched as the exercise's first case does. CourseError."""
    source, exercise = read_text(path), course.exercise(exercise_id, root)
    unless(exercise.cases, BadInput(f"{exercise.id} is a question: it has no kernel to profile."))
    return of_exercise(exercise, exercise.cases[0], source)


def as_json(work: Work, counters: Counters) -> str:
    """Every counter in all and per line, with the name of its Nsight Compute metric."""
    lines = counters.lines
    return json.dumps(
        {
            "work": work.name,
            "launches": [
                {
                    "kernel": launch.kernel,
                    "grid": np.atleast_1d(launch.grid).tolist(),
                    "block": np.atleast_1d(launch.block).tolist(),
                    "shared_mem": launch.shared_mem,
                }
                for launch in work.launches
            ],
            "metrics": METRICS,
            "total": counters.total,
            "lines": {line: lines[line] for line in sorted(lines) if any(lines[line].values())},
        },
        indent=2,
    )


# ---- a launch as a command line describes it ----

FORMS = "float:1000 (random numbers), zeros:int:256, out:float:4 (unwritten), int=1000 (a value)"


def dimensions(text: str) -> tuple[int, ...]:
    """`4` or `4,2,1`, x first."""
    unless(
        re.fullmatch(r"\d+(,\d+){0,2}", text),
        BadInput(f"A grid or block is up to three numbers, x first, as in 4,2; not {text!r}."),
    )
    return tuple(int(part) for part in text.split(","))


def _argument(text: str) -> np.generic | np.ndarray | Blank:
    """A value; an array of zeros, or of random numbers: floats from the normal distribution,
    integers from 0 to 9; or the shape and dtype of an array that nobody has written."""
    if match := re.fullmatch(r"([\w ]+)=(.+)", text):
        type_name, value = match.groups()
        dtype = _dtype(type_name)
        try:
            return dtype(float(value) if np.dtype(dtype).kind == "f" else int(value, 0))
        except (ValueError, OverflowError) as error:
            raise BadInput(f"{value!r} in {text!r} is no {type_name}.") from error
    match = unless(
        re.fullmatch(r"(?:(zeros|out):)?([\w ]+):(\d+)", text),
        BadInput(f"{text!r} is no argument; write {FORMS}."),
    )
    kind, type_name, length = match.groups()
    vector, width = re.fullmatch(r"(\w+?)([234])", type_name), 1
    if type_name not in DTYPES and vector and vector[1] in DTYPES:
        type_name, width = vector[1], int(vector[2])
    dtype, shape = _dtype(type_name), (int(length) * width,)
    if kind == "out":
        return shape, dtype
    if kind == "zeros":
        return np.zeros(shape, dtype)
    rng, is_float = np.random.default_rng(0), np.dtype(dtype).kind == "f"
    return (rng.standard_normal(shape) if is_float else rng.integers(0, 10, shape)).astype(dtype)


def _dtype(type_name: str) -> type[np.generic]:
    return unless(
        DTYPES.get(type_name),
        BadInput(f"There is no type {type_name!r} here; there are: {', '.join(DTYPES)}."),
    )


# ---- what limits a launch, and which line wastes most ----

_WORTH_TELLING = 0.1  # of a resource, wasted on one line
Counts = Mapping[str, int]


@dataclass(frozen=True)
class Resource:
    """What a launch can use up."""

    name: str  # its unit, too
    used: Callable[[Counts], float]
    wasted: Callable[[Counts], float]
    advice: str  # what to do about a line that wastes it


def _sum(*names: str) -> Callable[[Counts], float]:
    return lambda counts: sum(counts[name] for name in names)


def _beyond(*names: str) -> Callable[[Counts], float]:
    """What was paid beyond the ideal."""
    return lambda counts: sum(max(counts[n] - counts[f"{n}_ideal"], 0) for n in names)


_SECTORS = ("global_load_sectors", "global_store_sectors")
_WAVEFRONTS = ("shared_load_wavefronts", "shared_store_wavefronts")
RESOURCES = (
    Resource(
        "global-memory sectors",
        _sum(*_SECTORS),
        _beyond(*_SECTORS),
        "Let neighbouring threads touch neighbouring elements, so that a warp's 32 accesses fall "
        "into few sectors; where the order must change, change it in shared memory.",
    ),
    Resource(
        "shared-memory wavefronts",
        _sum(*_WAVEFRONTS),
        _beyond(*_WAVEFRONTS),
        "Its threads meet in the same banks: pad the row by one element, or let neighbouring "
        "threads touch neighbouring words.",
    ),
    Resource(
        "thread slots of warp instructions",
        lambda counts: limits.WARP * counts["inst_executed"],
        lambda counts: max(
            limits.WARP * counts["inst_executed"] - counts["thread_inst_executed"], 0
        ),
        "Most of the warp is switched off there: let whole warps take the same side of a branch.",
    ),
)


def wastes(counters: Counters) -> list[str]:
    """By resource, a sentence about the line that wastes most of it, the worst first; small ones
    are left out."""
    worst = []
    for resource in RESOURCES:
        total = resource.used(counters.total)
        lines = {line: resource.wasted(counts) for line, counts in counters.lines.items() if line}
        line = max(lines, key=lines.__getitem__, default=0)
        if line and total and (share := lines[line] / total) >= _WORTH_TELLING:
            worst.append(
                (
                    share,
                    f"Line {line} wastes {lines[line]:,.0f} of the {total:,.0f} "
                    f"{resource.name} ({share:.0%}). {resource.advice}",
                )
            )
    return [sentence for _, sentence in sorted(worst, key=lambda waste: -waste[0])]


def occupancy(blocks: int, threads: int, shared: int) -> str:
    """How many blocks of so many threads, and bytes of shared memory, a multiprocessor holds at a
    time, and what stands in the way of more; registers aside, which only the assembler knows."""
    device, held = (
        limits.architecture(limits.DEFAULT),
        limits.occupancy(threads, registers=1, shared=shared),
    )
    limit = held.limited_by[0]
    idle = (
        f" The grid has {counted(blocks, 'block')}, the device {device.sms} "
        "multiprocessors: the others have nothing to do."
    )
    return (
        f"A multiprocessor holds {held.blocks} of these blocks at a time, as its {limit} allow"
        f"{'s' if limit == 'shared memory' else ''}: {limits.WARP * held.warps:,} of "
        f"{device.threads:,} threads, an occupancy of at most {held.share:.0%} (registers aside)."
        f"{idle if blocks < device.sms else ''}"
    )
