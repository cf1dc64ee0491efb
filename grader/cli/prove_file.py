"""`grader prove`: what reasoning about every size says of a kernel, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .. import course
from ..course import rules
from ..cuda import analysis
from ..cuda.analysis import Found, Outcome
from ..errors import BadInput, MachineError
from ..submissions.text import read_text

NO_Z3 = "Reasoning about every size needs Z3: `pip install 'warpwise[proofs]'`."
PROVED = (
    "proved for every size: in bounds, aligned, no race, and nobody is missing at a barrier or a "
    "shuffle"
)


def prove(
    what: str, exercise_id: str | None, seconds: float, root: Path
) -> Iterator[tuple[str, bool]]:
    """A sentence for each kernel that was looked at, and whether a launch breaks it. `what` is a
    .cu file that answers `exercise_id`, or a lesson, whose solutions are looked at. CourseError
    when nothing can be."""
    if not analysis.available:
        raise MachineError(NO_Z3)
    if Path(what).suffix != ".cu":
        lesson = course.lesson(course.full_name(what, root), root)
        for exercise in lesson.exercises:
            yield _told(exercise, lesson.solution(exercise), lesson, seconds)
        return
    if exercise_id is None:
        raise BadInput(f"Say which exercise {what} answers: --exercise LESSON/NAME.")
    exercise = course.exercise(exercise_id, root)
    lesson = course.lesson(exercise.id.partition("/")[0], root)
    yield _told(exercise, read_text(Path(what)), lesson, seconds)


def _told(
    exercise: course.Exercise, source: str, lesson: course.Lesson, seconds: float
) -> tuple[str, bool]:
    found = analysis.examine(source, exercise.rules, lesson.solution(exercise), seconds)
    return f"{exercise.id}: {told(found, exercise.rules)}", found.error is not None


def told(found: Found, given: tuple[course.Rule, ...]) -> str:
    """What was found, with what a proof rests on."""
    if found.outcome is Outcome.PROVED:
        said = "; ".join(f"{one.kernel}: {rules.sentence(one)}" for one in given)
        return f"{PROVED}. It assumes that arrays lie apart, that loops end, and {said}."
    if found.error is not None:
        return f"a size that breaks it: {found.trial}. {found.error}"
    lines = ", ".join(str(line) for line in found.suspected if line)
    suspected = f" Not excluded: lines {lines}." if lines else ""
    return f"not decided: {found.why}.{suspected}"
