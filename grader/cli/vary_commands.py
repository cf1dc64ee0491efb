"""`grader vary`: exercises drawn anew, for authors and instructors. With --check the exit status is 1
when a variant is not as it must be."""

from typing import Annotated

import typer

from .. import course
from ..course import Exercise, Lesson, authors, solution_counts
from ..course import variants as varied
from ..counted import counted
from ..judge import anew
from .terminal import say


def vary(
    what: Annotated[str, typer.Argument(help="LESSON or LESSON/NAME.")],
    seed: Annotated[int, typer.Option(help="Which variant is shown.")] = 0,
    list_all: Annotated[bool, typer.Option("--list", help="Only list them.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Try all that are kept again.")] = False,
    write: Annotated[bool, typer.Option("--write", help="Try variants, and keep them.")] = False,
) -> int:
    """Show a variant of an exercise: other layouts of its arrays, another bug.

    Variants are kept in the lesson's variants.json."""
    name, _, exercise = what.partition("/")
    lesson = course.lesson(course.full_name(name))
    exercises = [lesson.exercise(exercise)] if exercise else list(lesson.exercises)
    if write:
        for one in exercises:
            _written(lesson, one)
        return 0
    if check:
        return max([_checked(lesson, one) for one in exercises])
    for one in exercises:
        known = varied.variants(one)
        say(f"{one.id}: {counted(len(known), 'variant')}")
        if list_all or not exercise:
            say(*(f"  {number}  {each}" for number, each in enumerate(known)))
        elif known:
            say(lesson.handed_out(varied.vary(one, seed)))
    return 0


def _written(lesson: Lesson, exercise: Exercise) -> None:
    """Keep the variants of an exercise, and say what came of all that were tried."""
    found = anew.all_tried(lesson, exercise)
    rows = varied.kept(lesson.path) | {exercise.name: tuple(found.kept)}
    ordered = {one.name: rows[one.name] for one in lesson.exercises if one.name in rows}
    solution_counts.file(lesson.path, what=varied.FILE).write_text(
        varied.text(ordered), encoding="utf-8"
    )
    say(
        f"{exercise.id} ({exercise.kind.title}): {counted(len(found.kept), 'variant')} of "
        f"{found.tried} tried, in {found.seconds:.0f} s",
        *(f"  refused, {times} x: {why}" for why, times in found.refused.most_common()),
    )


def _checked(lesson: Lesson, exercise: Exercise) -> int:
    """Try the kept variants of an exercise again; 1 where one is refused now."""
    known, status = varied.arrays(exercise), 0
    for one in varied.variants(exercise):
        try:
            anew.tried(lesson, exercise, one, varied.plan_of(known, one))
        except varied.Refused as error:
            status = 1
            say(f"{authors.shown(lesson.path)}, {exercise.name}, {one}: {error}")
    say(f"{exercise.id}: {counted(len(varied.variants(exercise)), 'variant')} tried")
    return status
