"""`grader cases`: what the cases of each exercise meet of what it promises, and what not."""

from __future__ import annotations

from pathlib import Path

from .. import course
from ..course import Exercise, Lesson, choosing, chosen, classes, rules
from .classroom_commands import say


def show(what: str, write: bool) -> int:
    """Print it of the exercises of `what`, LESSON or LESSON/NAME or nothing; with `write` choose
    the launches anew that they lack. 1 if something is not met."""
    name, _, exercise = what.partition("/")
    found = [course.lesson(course.full_name(name))] if name else list(course.lessons())
    unmet = 0
    for lesson in found:
        asked = [lesson.exercise(exercise)] if exercise else list(lesson.exercises)
        if write:
            say(f"wrote {_written(lesson, asked)}")
            lesson = course.lesson(lesson.name)
            asked = [lesson.exercise(one.name) for one in asked]
        unmet += sum(_shown(one) for one in asked)
    return 1 if unmet else 0


def _written(lesson: Lesson, asked: list[Exercise]) -> Path:
    rows = chosen.kept(lesson.path)
    for one in asked:
        try:
            rows[one.name] = choosing.choose(one)
        except rules.RuleError as error:
            say(f"{one.id}: {error}.")
    known = {one.name: rows[one.name] for one in lesson.exercises if rows.get(one.name)}
    path = lesson.path / chosen.FILE
    path.write_text(chosen.text(known), encoding="utf-8")
    return path


def _shown(exercise: Exercise) -> int:
    """Print it of one exercise; how many classes and pairs its cases do not meet."""
    if not exercise.rules:
        say(f"{exercise.id}: {exercise.kind.promise}")
        return 0
    idle = [
        case.name for case in exercise.cases if (made := chosen.of_case(case)) and not made.rows
    ]
    for name in idle:
        say(f"{exercise.id}: the case {name!r} has no launch")
    unmet = len(idle)
    for one in classes.met(exercise, classes.drawn(exercise)):
        alone, alone_met, pairs, pairs_met = one.counts()
        unmet += alone + pairs - alone_met - pairs_met
        say(
            f"{exercise.id}, {one.rule.kernel}: {alone_met} of {alone} classes and "
            f"{pairs_met} of {pairs} pairs are met"
        )
        for sentence in one.told():
            say(f"    not met: {sentence}")
    return unmet
