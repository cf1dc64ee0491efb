"""Where a lesson stands, learner by learner: handed in, late, extended, graded, to be looked at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from nbgrader.api import Gradebook, MissingEntry

from . import ClassroomError, counting, coursefile, deadlines, export, lateness
from .coursefile import CourseFile
from .folder import CourseFolder


@dataclass(frozen=True)
class Status:
    """One learner's lesson. Times are UTC; None: not due, not handed in, or no marks. `late`: the
    seconds after `due`; `spent`: late days; `score`: with lateness taken off; `waits`: that marks
    wait for an instructor."""

    learner: str
    name: str
    section: str
    team: str
    due: datetime | None
    extended: bool
    handed_in: bool
    when: datetime | None
    late: float
    spent: int
    score: float | None
    waits: bool


def of(course: CourseFolder, lesson: str) -> list[Status]:
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


def _of(course: CourseFolder, file: CourseFile, gradebook: Gradebook, lesson: str) -> list[Status]:
    students = {one.id: one for one in gradebook.students}
    marked = {one.student_id: one for one in gradebook.assignment_submissions(lesson)}
    spent = {one.learner: one for one in lateness.late(file, gradebook) if one.lesson == lesson}
    handed_in = set(course.learners("submitted", lesson))
    waiting = {
        mark.learner
        for mark in export.marks(gradebook, lesson)
        if export.overridden(mark) or (mark.by_judge is None and mark.by_hand is None)
    }
    found = []
    for learner in sorted({*students, *file.learners, *handed_in}):
        student, mine = students.get(learner), marked.get(learner)
        person, plan = file.person(learner), file.plan(lesson)
        names = (student.first_name, student.last_name) if student else ()
        due = deadlines.due(file, lesson, learner)
        folders = counting.attempts(course, file, lesson, learner)
        when = mine.timestamp if mine else None
        if when is None and folders:
            when = counting.handed_in_at(folders[-1])
        standing = spent[learner].standing if learner in spent else None
        late = max(0.0, (when - due).total_seconds()) if when and due else 0.0
        score = max(0.0, mine.score - mine.late_submission_penalty) if mine else None
        found.append(
            Status(
                learner=learner,
                name=" ".join(filter(None, names)),
                section=person.section,
                team=person.team if plan.teams else "",
                due=due,
                extended=bool(plan.extensions.keys() & {learner, *file.team(lesson, learner)}),
                handed_in=bool(folders) or mine is not None,
                when=when,
                late=late,
                spent=standing.spent if standing else 0,
                score=score,
                waits=learner in waiting,
            )
        )
    return found
