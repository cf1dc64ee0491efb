"""Every kernel of the course, with a launch for each."""

from __future__ import annotations

import re
from pathlib import Path

from .. import course
from ..cuda.errors import CudaError
from ..cuda.signature import Parameter, parameters
from .work import Work, of_exercise, simulate

_KERNEL = re.compile(r"__global__\s+void\s+(\w+)\s*\(")


def works(root: Path = course.KERNELS) -> tuple[list[Work], dict[str, str]]:
    """Solutions are launched as their exercise's largest visible case does, kernels that a lesson
    only shows as the first of its exercises that takes the same parameters. Also the names of
    those left out, with the reason."""
    found, left_out = [], {}
    for lesson in course.lessons(root):
        solved = {exercise.source: exercise for exercise in lesson.exercises}
        for path in sorted(lesson.path.glob("*.cu")):
            source = path.read_text()
            name = f"{lesson.name}/{path.stem}"
            if path.name in solved:
                work = _largest_case(solved[path.name], source)
            else:
                work = _shown(lesson, name, source)
            if problem := _problem(work):
                left_out[name] = problem
            else:
                found.append(work)
    return found, left_out


def _problem(work: Work | None) -> str:
    """Why there is nothing to count; "" if there is."""
    if work is None:
        return "no exercise of its lesson has its parameters"
    try:
        simulate(work)
    except CudaError as error:
        return f"the simulated GPU stops it. {error}"
    return ""


def _largest_case(exercise: course.Exercise, source: str, name: str = "") -> Work:
    candidates = [
        of_exercise(exercise, case, source, name) for case in exercise.cases if case.visible
    ]
    return max(candidates, key=lambda work: sum(array.size for array in work.inputs.values()))


def _shown(lesson: course.Lesson, name: str, source: str) -> Work | None:
    names = _KERNEL.findall(source)
    for exercise in lesson.exercises if len(names) == 1 else ():
        solution = lesson.solution(exercise)
        work = _largest_case(exercise, source, name)
        launched = {launch.kernel for launch in work.launches}
        wanted = {_types(parameters(solution, kernel)) for kernel in launched}
        if wanted == {_types(parameters(source, names[0]))}:
            launches = tuple(
                course.Launch(names[0], one.grid, one.block, one.args, one.shared_mem)
                for one in work.launches
            )
            return Work(name, source, launches, work.inputs, work.blank)
    return None


def _types(declared: tuple[Parameter, ...] | None) -> tuple:
    return tuple((one.type, one.constant, one.name) for one in declared or ())
