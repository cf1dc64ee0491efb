"""Who answered a contest's exercise most cheaply, from the verdicts that autograde has kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..course import Contest, Lesson, Standing
from ..judge import Verdict
from ..status import Status
from . import ClassroomError, verdicts
from .folder import CourseFolder
from .marks import Names


@dataclass(frozen=True)
class Place:
    """`number` counts from 1; who stand alike share one. `name`: as the learner is shown."""

    number: int
    name: str
    standing: Standing


def places(course: CourseFolder, lesson: Lesson, contest: Contest, names: Names) -> list[Place]:
    """Of those whom `names` gives, everybody whose answer passed, the cheapest first.
    ClassroomError when nobody is graded yet."""
    learners = course.learners("autograded", lesson.name)
    if not learners:
        raise ClassroomError(f"Nothing is graded yet: run `grader autograde {lesson.name}`.")
    with course.gradebook() as gradebook:
        called = names.called(gradebook)
    standings = [
        (standing, called.get(learner, names.name(learner)))
        for learner in learners
        if names.section in (None, names.file.person(learner).section)
        for standing in _standing(course, lesson, contest, learner)
    ]
    ordered = [standing for standing, _ in sorted(standings)]
    return [
        Place(ordered.index(standing) + 1, name, standing) for standing, name in sorted(standings)
    ]


def _standing(
    course: CourseFolder, lesson: Lesson, contest: Contest, learner: str
) -> Iterator[Standing]:
    """The learner's, if the answer passed, by a judge that counted for contests."""
    try:
        kept = verdicts.read(course.path("autograded", lesson.name, learner))
    except FileNotFoundError:  # marked by hand alone
        return
    if contest.exercise in kept:
        verdict = Verdict.from_dict(kept[contest.exercise]["verdict"])
        if verdict.status == Status.PASSED and verdict.contest:
            yield contest.standing(verdict.contest)
