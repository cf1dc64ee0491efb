"""`grader profile`: what a kernel costs, line by line, beside the least it could cost."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from .. import course
from ..cuda.simulator import RawModule
from ..cuda.simulator.observers.counters import METRICS, Counters
from ..errors import BadInput
from ..submissions.text import read_text
from .arguments import work_from_arguments
from .work import Work, of_exercise, simulate


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
