"""When a lesson is due for whom, which of the folders that were handed in counts, how late it was,
and how many late days that took."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy.orm import joinedload, undefer

from ..course import Lesson
from ..submissions.submission import handed_in_at
from . import coursefile
from .coursefile import BEST, DAY, CourseFile
from .folder import CourseFolder


@dataclass(frozen=True)
class HandIn:
    """One learner's hand-in of a lesson."""

    lesson: str
    when: datetime | None  # UTC; None: unknown
    score: float  # points
    most: float  # the most points there are


@dataclass(frozen=True)
class Lateness:
    """How late a hand-in is, and what that costs."""

    due: datetime | None  # UTC; None: never
    late: float  # seconds
    spent: int  # days of the budget
    charged: float  # seconds that are left to be paid for
    penalty: float | None  # points off by the course file; None: it has no policy for the lesson


def due(file: CourseFile, lesson: str, learner: str) -> datetime | None:
    """When it is due for a learner: an extension goes before the section's date, and that before
    the lesson's. For a team it is due when it is for the last of its members."""
    plan = file.plan(lesson)
    if plan.due is None:
        return None
    return max(
        plan.extensions.get(mate) or plan.sections.get(file.person(mate).section) or plan.due
        for mate in {*file.team(lesson, learner), learner}
    )


def closes(course: CourseFolder, lesson: Lesson) -> datetime | None:
    """From when on nobody can hand the lesson in for points: when it was due for all, with
    sections, extensions and late days. None: never, or not known, as it is not due."""
    file = coursefile.read(course)
    plan = file.plan(lesson.name)
    dates = {plan.due, *plan.sections.values(), *plan.extensions.values()}
    if plan.due is None:
        with course.gradebook() as gradebook:
            known = [each for each in gradebook.assignments if each.name == lesson.name]
            dates = {each.duedate for each in known}
            dates |= {submitted.duedate for each in known for submitted in each.submissions}
    most = sum(exercise.points for exercise in lesson.exercises)
    late = (plan.late.ends(most) if plan.late else 0.0) + file.late_days * DAY
    last = max((date for date in dates if date is not None), default=None)
    return None if last is None or late == math.inf else last + timedelta(seconds=late)


# --- which folder counts -------------------------------------------------------------------------


def everybody(file: CourseFile, lesson: str, learners: Iterable[str]) -> list[str]:
    """Those who handed in, and their team mates."""
    return sorted({mate for name in learners for mate in {name, *file.team(lesson, name)}})


def attempts(course: CourseFolder, file: CourseFile, lesson: str, learner: str) -> list[Path]:
    """The folders that could count for a learner, oldest first: of everybody in the team the one in
    submitted/, and where the best attempt counts each that the exchange keeps."""
    folders = []
    for mate in sorted({learner, *file.team(lesson, learner)}):
        if file.plan(lesson).attempts == BEST:
            folders += sorted((course.shelves / "inbound").glob(f"{mate}+{lesson}+*"))
        own = course.path("submitted", lesson, mate)
        folders += [own] if own.is_dir() else []
    return sorted(folders, key=lambda path: handed_in_at(path) or datetime.min)


def counting(
    course: CourseFolder,
    file: CourseFile,
    lesson: str,
    learner: str,
    points: Callable[[Path, datetime | None], float],
) -> Path:
    """The folder that counts: the newest or, of several attempts, the newest of the best.
    `points` of a folder and the time it was handed in decides."""
    folders = attempts(course, file, lesson, learner)
    if not folders:
        return course.path("submitted", lesson, learner)
    if file.plan(lesson).attempts != BEST:
        return folders[-1]
    return max(reversed(folders), key=lambda path: points(path, handed_in_at(path)))


# --- how late it was -----------------------------------------------------------------------------


def standings(
    file: CourseFile, learner: str, handed_in: Iterable[HandIn]
) -> Iterator[tuple[HandIn, Lateness]]:
    """How late each of a learner's hand-ins is, in the order in which the lessons were due. Late
    days are spent in that order, and only where they save points."""
    left = file.late_days
    for each in sorted(
        handed_in, key=lambda each: (file.plan(each.lesson).due or datetime.max, each.lesson)
    ):
        until, policy = due(file, each.lesson, learner), file.plan(each.lesson).late
        late = max(0.0, (each.when - until).total_seconds()) if each.when and until else 0.0
        spent, penalty = min(left, math.ceil(late / DAY)), None
        if policy is not None:  # else what it costs is nbgrader's plug-in's to say
            # The fewest days that save the most points.
            costs = [
                policy.penalty(max(0.0, late - days * DAY), each.score, each.most)
                for days in range(spent + 1)
            ]
            penalty = min(costs)
            spent = costs.index(penalty)
        left -= spent
        yield each, Lateness(until, late, spent, max(0.0, late - spent * DAY), penalty)


Submitted = tuple[HandIn, SubmittedAssignment, SubmittedNotebook]


def submitted(gradebook: Gradebook, learner: str | None = None) -> dict[str, list[Submitted]]:
    """By learner, each hand-in with its submission and notebook in the gradebook; everybody's or
    one learner's."""
    query = (
        gradebook.db.query(SubmittedAssignment.student_id, SubmittedAssignment, SubmittedNotebook)
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .order_by(SubmittedAssignment.student_id)
        .options(  # else each of them is a question of its own
            joinedload(SubmittedAssignment.assignment),
            undefer(SubmittedNotebook.score),
            undefer(SubmittedNotebook.max_score),
        )
    )
    if learner is not None:
        query = query.filter(SubmittedAssignment.student_id == learner)
    rows: list[tuple[Any, Any, Any]] = query.all()
    return {
        name: [
            (HandIn(row.assignment.name, row.timestamp, book.score, book.max_score), row, book)
            for _, row, book in mine
        ]
        for name, mine in groupby(rows, itemgetter(0))
    }


def spent_days(file: CourseFile, gradebook: Gradebook, lesson: str) -> dict[str, int]:
    """By learner, the late days that a lesson has taken."""
    return {
        learner: lateness.spent
        for learner, mine in submitted(gradebook).items()
        for handed_in, lateness in standings(file, learner, map(itemgetter(0), mine))
        if handed_in.lesson == lesson
    }
