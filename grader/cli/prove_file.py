"""`grader prove`: what is known of a kernel at every size, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from .. import course
from ..errors import BadInput
from ..judge import Limits, sizes
from ..judge.verdict import CaseResult, EverySize
from ..submissions.cells import read_text


def prove(
    what: str, exercise_id: str | None, seconds: float, root: Path
) -> Iterator[tuple[str, bool]]:
    """A sentence for each kernel that was looked at, and whether a launch breaks it. `what` is a
    .cu file that answers `exercise_id`, or a lesson, whose solutions are looked at. CourseError
    when nothing can be."""
    if Path(what).suffix != ".cu":
        lesson = course.lesson(course.full_name(what, root), root)
        for exercise in lesson.exercises:
            yield _told(exercise, lesson.solution(exercise), seconds)
        return
    if exercise_id is None:
        raise BadInput(f"Say which exercise {what} answers: --exercise LESSON/NAME.")
    exercise = course.exercise(exercise_id, root)
    yield _told(exercise, read_text(Path(what)), seconds)


def _told(exercise: course.Exercise, source: str, seconds: float) -> tuple[str, bool]:
    if not exercise.rules:
        return f"{exercise.id}: not decided: the exercise states no rule.", False
    limits = replace(Limits(), reasoning=seconds, reasoning_seconds=3 * seconds)
    found, broken = sizes.reasoned(exercise, source, limits)
    return f"{exercise.id}: {told(found, broken)}", found.outcome == "counterexample"


def told(found: EverySize, broken: CaseResult | None) -> str:
    """What was found, with what a proof rests on."""
    if found.outcome == "counterexample":
        return f"a size that breaks it. {broken.message if broken else found.why}"
    if found.outcome == "proved":
        assumed = "".join(f"\n  - {one}" for one in found.assumes)
        return f"proved for every size. {sizes.MEANS} {sizes.ASSUMES}{assumed}"
    lines = ", ".join(map(str, found.lines))
    suspected = f" Not excluded: lines {lines}." if lines else ""
    return f"not decided: {found.why}.{suspected}"
