"""Where a lesson stands, learner by learner: handed in, late, extended, graded, to be looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry, SubmittedAssignment

from . import ClassroomError, counting, coursefile, deadlines, export, lateness
from .coursefile import CourseFile
from .folder import CourseFolder


@dataclass(frozen=True)
class LearnerStatus:
    """One learner's lesson. Times are UTC; None: not due, not handed in, or no marks. `late`: the
    seconds after `due`; `spent`: late days; `score`: with lateness taken off; `waits`: that marks
    wait for an instructor; `unreadable`: that something of it could not be judged."""

    learner: str
    section: str
    team: str
    due: datetime | None
    extended: bool
    handed_in: bool
    when: datetime | None
    late: float
    score: float | None
    name: str = ""
    spent: int = 0
    waits: bool = False
    unreadable: bool = False


def of(course: CourseFolder, lesson: str) -> list[LearnerStatus]:
    """Everybody whom the gradebook or the roster knows, or who handed in, by name of the folder.
    What was not collected yet does not count as handed in."""
    file = coursefile.read(course)
    try:
        with course.gradebook() as gradebook:
            gradebook.find_assignment(lesson)
            return _of(course, file, gradebook, lesson)
    except MissingEntry as error:
        raise ClassroomError(
            f"{lesson} was never released: run `grader release {lesson}`."
        ) from error


def _of(
    course: CourseFolder, file: CourseFile, gradebook: Gradebook, lesson: str
) -> list[LearnerStatus]:
    students = {one.id: one for one in gradebook.students}
    marked = {one.student_id: one for one in export.submissions(gradebook, lesson)}
    spent = {
        one.learner: one.standing.spent
        for one in lateness.late(file, gradebook)
        if one.lesson == lesson
    }
    waiting = {mark.learner for mark in export.marks(gradebook, lesson) if export.overridden(mark)}
    unread = export.unmarked(gradebook, lesson)
    everybody = {*students, *file.learners, *course.learners("submitted", lesson)}
    found = []
    for learner in sorted(everybody):
        student, mine = students.get(learner), marked.get(learner)
        folders = counting.attempts(course, file, lesson, learner)
        one = _of_one(file, lesson, learner, mine, folders)
        names = (student.first_name, student.last_name) if student else ()
        name = " ".join(filter(None, names))
        late_days = spent.get(learner, 0)
        known = replace(one, name=name, spent=late_days, waits=learner in waiting | unread)
        found.append(replace(known, score=None, unreadable=True) if learner in unread else known)
    return found


def _of_one(
    file: CourseFile,
    lesson: str,
    learner: str,
    mine: SubmittedAssignment | None,
    folders: list[Path],
) -> LearnerStatus:
    """What the roster, a learner's marks and what was handed in say."""
    person, plan, due = (
        file.person(learner),
        file.plan(lesson),
        deadlines.due(file, lesson, learner),
    )
    when = mine.timestamp if mine else None
    if when is None and folders:
        when = counting.handed_in_at(folders[-1])
    return LearnerStatus(
        learner=learner,
        section=person.section,
        team=person.team if plan.teams else "",
        due=due,
        extended=bool(plan.extensions.keys() & {learner, *file.team(lesson, learner)}),
        handed_in=bool(folders) or mine is not None,
        when=when,
        late=max(0.0, (when - due).total_seconds()) if when and due else 0.0,
        score=max(0.0, mine.score - mine.late_submission_penalty) if mine else None,
    )
