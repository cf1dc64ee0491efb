"""Every kernel of the course, with a launch for each."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ... import course
from ...course import Benchmark, Exercise, Lesson, Shown, Variant
from ...cuda.errors import CudaError
from ...profiler.work import Work, of_exercise, simulate


def works(root: Path = course.KERNELS) -> tuple[list[Work], dict[str, str]]:
    """Every kernel with a launch that ends well, and the names of those left out, with the
    reason."""
    found: list[Work] = []
    left_out: dict[str, str] = {}
    for name, work in launches(root).items():
        if work is None:
            left_out[name] = "its lesson does not say how it is launched"
        elif said := problem(work):
            left_out[name] = said
        else:
            found.append(work)
    return found, left_out


def launches(root: Path = course.KERNELS) -> dict[str, Work | None]:
    """By "lesson/file" how it is launched, as far as its lesson says: solutions as their exercise's
    largest visible case does, kernels that a lesson times as its benchmark does at a tiny size, and
    the others as its shown.py says."""
    return {
        f"{lesson.name}/{path.stem}": launched.get(path.name)
        for lesson in course.lessons(root)
        for launched in [_launched(lesson)]
        for path in sorted(lesson.path.glob("*.cu"))
    }


def _launched(lesson: Lesson) -> dict[str, Work]:
    """What to launch of each of the lesson's files, as far as it says."""
    timed = {
        variant.source: _timed(lesson, benchmark, variant, variant.source)
        for benchmark in reversed(lesson.benchmarks)  # the first that times a file counts
        for variant in benchmark.variants.values()
        if isinstance(variant.source, str)
    }
    shown = {one.source: _shown(lesson, one) for one in lesson.shown}
    solved = {one.source: _largest_case(one, lesson.solution(one)) for one in lesson.exercises}
    return timed | shown | solved


def problem(work: Work) -> str:
    """Why there is nothing to count; "" if there is."""
    try:
        simulate(work)
    except CudaError as error:
        return f"the simulated GPU stops it. {error}"
    return ""


def _largest_case(exercise: Exercise, source: str) -> Work:
    candidates = [of_exercise(exercise, case, source) for case in exercise.cases if case.visible]
    return max(candidates, key=lambda work: sum(array.size for array in work.inputs.values()))


def _timed(lesson: Lesson, benchmark: Benchmark, variant: Variant, source: str) -> Work:
    size = benchmark.tiny_size()
    arrays = benchmark.arrays(np, size)
    return Work(*_file(lesson, source), variant.launches(size), arrays)


def _shown(lesson: Lesson, one: Shown) -> Work:
    return Work(*_file(lesson, one.source), one.launches, one.arrays, one.blank)


def _file(lesson: Lesson, source: str) -> tuple[str, str]:
    """The name and the text of one of the lesson's files."""
    path = lesson.path / source
    return f"{lesson.name}/{path.stem}", path.read_text(encoding="utf-8")
