"""`grader profile`: what a kernel costs, line by line, beside the least it could cost."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .. import course
from ..compilers.declared import DTYPES
from ..course import Launch
from ..cuda.simulator import RawModule
from ..errors import BadInput
from ..submissions.cells import read_text
from ..watch.counters import METRICS, Counters
from .work import Blank, Work, of_exercise, simulate


@dataclass(frozen=True)
class Profile:
    """Counters of everything that `work` launches, added up."""

    work: Work
    counters: Counters


def profile(work: Work) -> Profile:
    """Run the work on the simulated GPU and count. Raises CudaError."""
    return Profile(work, simulate(work).counters)


# kernel, grid, block, bytes of shared memory, arguments, as they are written
LaunchArguments = tuple[str | None, str | None, str | None, int, list[str]]


def work_of_file(
    path: Path,
    kernel: str | None,
    grid: str | None,
    block: str | None,
    shared: int,
    arguments: list[str],
) -> Work:
    """The launch described on a command line, of a kernel in the file. Raises BadInput, and
    CompileError if it takes compiling to know which kernel is meant."""
    source = read_text(path)
    if grid is None or block is None:
        raise BadInput("Say how to launch it: --grid and --block, or --exercise LESSON/NAME.")
    return work_from_arguments(
        path.name, source, kernel or _only_kernel(source), grid, block, shared, arguments
    )


def work_of_exercise(path: Path, exercise_id: str, root: Path) -> Work:
    """The file's kernels, launched as the exercise's first case does. CourseError."""
    source = read_text(path)
    exercise = course.exercise(exercise_id, root)
    return of_exercise(exercise, exercise.cases[0], source)


def as_json(profile: Profile) -> str:
    """Every counter in all and per line, with the name of its Nsight Compute metric."""
    used = sorted(line for line, counts in profile.counters.lines.items() if any(counts.values()))
    content = {
        "work": profile.work.name,
        "launches": [_launch(launch) for launch in profile.work.launches],
        "metrics": METRICS,
        "total": profile.counters.total,
        "lines": {line: profile.counters.lines[line] for line in used},
    }
    return json.dumps(content, indent=2)


def _launch(launch: course.Launch) -> dict[str, object]:
    dims = {name: _dims(getattr(launch, name)) for name in ("grid", "block")}
    return {"kernel": launch.kernel, **dims, "shared_mem": launch.shared_mem}


def _dims(dim: course.Dim) -> list[int]:
    return [int(size) for size in (dim if isinstance(dim, tuple) else (dim,))]


def _only_kernel(source: str) -> str:
    names = RawModule(code=source).kernel_names
    if len(names) != 1:
        raise BadInput(f"Say which kernel, with --kernel: {', '.join(names) or 'there is none'}.")
    return names[0]


# ---- a launch as a command line describes it ----

FORMS = "float:1000 (random numbers), zeros:int:256, out:float:4 (unwritten), int=1000 (a value)"

_ARRAY = re.compile(r"(?:(zeros|out):)?([\w ]+):(\d+)")
_VALUE = re.compile(r"([\w ]+)=(.+)")
_VECTOR = re.compile(r"(\w+?)([234])")


def work_from_arguments(
    name: str, source: str, kernel: str, grid: str, block: str, shared: int, arguments: list[str]
) -> Work:
    """The launch kernel<<<grid, block, shared>>>(arguments). Raises BadInput."""
    values: list[str | np.generic] = []
    inputs: dict[str, np.ndarray] = {}
    blank: dict[str, Blank] = {}
    for number, text in enumerate(arguments, start=1):
        if match := _VALUE.fullmatch(text):
            values.append(_scalar(text, *match.groups()))
            continue
        kind, dtype, shape = _array(text)
        called = f"argument {number}"
        values.append(called)
        if kind == "out":
            blank[called] = (shape, dtype)
        else:
            inputs[called] = _filled(kind, dtype, shape)
    launch = Launch(kernel, dimensions(grid), dimensions(block), tuple(values), shared)
    return Work(name, source, (launch,), inputs, blank)


def dimensions(text: str) -> tuple[int, ...]:
    """`4` or `4,2,1`, x first."""
    if not re.fullmatch(r"\d+(,\d+){0,2}", text):
        raise BadInput(f"A grid or block is up to three numbers, x first, as in 4,2; not {text!r}.")
    return tuple(int(part) for part in text.split(","))


def _array(text: str) -> tuple[str | None, type[np.generic], tuple[int, ...]]:
    match = _ARRAY.fullmatch(text)
    if not match:
        raise BadInput(f"{text!r} is no argument; write {FORMS}.")
    kind, type_name, length = match.groups()
    vector = _VECTOR.fullmatch(type_name)
    if type_name not in DTYPES and vector and vector.group(1) in DTYPES:
        return kind, DTYPES[vector.group(1)], (int(length) * int(vector.group(2)),)
    return kind, _dtype(type_name), (int(length),)


def _dtype(type_name: str) -> type[np.generic]:
    if type_name not in DTYPES:
        raise BadInput(f"There is no type {type_name!r} here; there are: {', '.join(DTYPES)}.")
    return DTYPES[type_name]


def _scalar(text: str, type_name: str, value: str) -> np.generic:
    dtype = _dtype(type_name)
    try:
        number = float(value) if np.dtype(dtype).kind == "f" else int(value, 0)
        scalar: np.generic = np.dtype(dtype).type(number)
        return scalar
    except (ValueError, OverflowError) as error:
        raise BadInput(f"{value!r} in {text!r} is no {type_name}.") from error


def _filled(kind: str | None, dtype: type[np.generic], shape: tuple[int, ...]) -> np.ndarray:
    """Zeros, or random: floats from the normal distribution, integers from 0 to 9."""
    if kind == "zeros":
        return np.zeros(shape, dtype)
    rng = np.random.default_rng(0)
    if np.dtype(dtype).kind == "f":
        return rng.standard_normal(shape).astype(dtype)
    return rng.integers(0, 10, shape).astype(dtype)
