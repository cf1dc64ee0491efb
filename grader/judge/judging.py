"""judge(): the one way from a source text to a verdict."""

from __future__ import annotations

from pathlib import Path

from .. import compilers, course
from ..course import solution_counts
from ..cuda.diagnostics import encodable, one_line_end
from .judged import Judged
from .session import Limits, Session
from .stages import STAGES
from .verdict import Verdict

STANDARD_LIMITS = Limits()


def judge(
    exercise_id: str,
    source: str,
    *,
    seed: int = 0,
    hidden: bool = True,
    root: Path = course.KERNELS,
    limits: Limits = STANDARD_LIMITS,
    sizes: bool = True,
    steps: bool = False,
    partial_marks: bool = True,
) -> Verdict:
    """Judge `source`, the text of a .cu file, as an answer to the exercise "lesson/name".

    The same source and seed give the same verdict. Without `hidden` only the visible cases are
    run, and give points; without `sizes` none are looked for that no case tries;
    without `partial_marks` a fault that the lesson names leaves nothing but the cases that passed;
    with `steps` a visible case that failed has those that led there, told by one run more. On a
    machine with a GPU a case that is clean on the simulated device must also be right on the
    hardware. NotInCourse: there is no such exercise.
    """
    lesson_name, _, name = exercise_id.partition("/")
    compiler = compilers.chosen_name()
    lesson = course.lesson(lesson_name, root, compiler)
    exercise = lesson.exercise(name)
    source = one_line_end(encodable(source))
    allowed = solution_counts.steps(lesson.path, name, compiler)
    solution = exercise.solution if exercise.solved else ""
    with Session(source, limits, allowed) as session, Session(solution, limits, allowed) as ours:
        judged = Judged(
            lesson=lesson,
            exercise=exercise,
            source=source,
            seed=seed,
            hidden=hidden,
            limits=limits,
            allowed=allowed,
            session=session,
            ours=ours,
            wants_sizes=sizes,
            wants_part=partial_marks,
            wants_steps=steps,
        )
        for stage in STAGES:
            judged = stage(judged)
    assert judged.verdict is not None, "a stage sums the results up"
    return judged.verdict
