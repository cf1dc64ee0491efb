"""Which of the folders that were handed in counts for whom: a learner's own, what a team mate
handed in for the team, or the best of several attempts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path

from nbgrader.utils import parse_utc

from ..submissions import submission
from .coursefile import BEST, CourseFile
from .folder import CourseFolder

Points = Callable[[Path, datetime | None], float]


def everybody(file: CourseFile, lesson: str, learners: Iterable[str]) -> list[str]:
    """Those who handed in, and their team mates."""
    return sorted({mate for one in learners for mate in {one, *file.team(lesson, one)}})


def attempts(course: CourseFolder, file: CourseFile, lesson: str, learner: str) -> list[Path]:
    """The folders that could count for a learner, oldest first: of everybody in the team the one in
    submitted/, and where the best attempt counts each that the exchange keeps."""
    found = []
    for one in sorted({learner, *file.team(lesson, learner)}):
        if file.plan(lesson).attempts == BEST:
            found += sorted((course.shelves / "inbound").glob(f"{one}+{lesson}+*"))
        own = course.path("submitted", lesson, one)
        found += [own] if own.is_dir() else []
    return sorted(found, key=lambda path: handed_in_at(path) or datetime.min)


def counting(
    course: CourseFolder, file: CourseFile, lesson: str, learner: str, points: Points
) -> Path:
    """The folder that counts: the newest or, of several attempts, the newest of the best.
    `points` of a folder and the time it was handed in decides."""
    found = attempts(course, file, lesson, learner)
    if not found:
        return course.path("submitted", lesson, learner)
    if file.plan(lesson).attempts != BEST:
        return found[-1]
    return max(reversed(found), key=lambda path: points(path, handed_in_at(path)))


def handed_in_at(folder: Path) -> datetime | None:
    """The time that nbgrader wrote beside a submission, in UTC; None if there is none."""
    stamp = submission.note(folder / submission.STAMP) or ""
    return parse_utc(stamp.strip()) if submission.is_time(stamp) else None
