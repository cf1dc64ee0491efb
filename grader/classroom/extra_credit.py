"""Exercises outside a lesson's maximum, in nbgrader's own field for extra credit. In the gradebook
such an exercise has a maximum, and so a score, of 0; what it adds is a grade's `extra_credit`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nbgrader.api import (
    Assignment,
    Grade,
    Gradebook,
    GradeCell,
    SubmittedAssignment,
    SubmittedNotebook,
)

from ..course.weave import CHECK
from . import verdicts
from .coursefile import CourseFile
from .folder import CourseFolder


def apply(course: CourseFolder, file: CourseFile, lesson: str) -> None:
    """Give everybody the judge's points for each exercise that is extra credit, and none for an
    optional one. Where an instructor has given a mark by hand, that alone counts."""
    plan = file.plan(lesson)
    if not plan.outside:
        return
    names = [CHECK + name for name in plan.outside]
    with course.gradebook() as gradebook:
        for learner, name, grade in _grades(gradebook, lesson, names):
            if grade.manual_score is None:
                extra = name in plan.extra
                grade.extra_credit = _points(course, lesson, learner, name) if extra else None
        gradebook.db.commit()


def forget(course: CourseFolder, lesson: str, cells: Iterable[str]) -> None:
    """Take the extra credit back that these cells had as exercises outside the maximum; what an
    instructor gave for one inside it stays."""
    with course.gradebook() as gradebook:
        for _, _, grade in _grades(gradebook, lesson, cells):
            if grade.cell.max_score == 0 and grade.manual_score is None:
                grade.extra_credit = None
        gradebook.db.commit()


def _points(course: CourseFolder, lesson: str, learner: str, name: str) -> float | None:
    try:
        kept = verdicts.read(course.path("autograded", lesson, learner))
        return verdicts.points(kept[name])
    except (FileNotFoundError, KeyError):  # graded by hand alone
        return None


def _grades(
    gradebook: Gradebook, lesson: str, cells: Iterable[str]
) -> Iterator[tuple[str, str, Grade]]:
    """Learner, exercise and grade of each of these cells."""
    found = (
        gradebook.db.query(SubmittedAssignment.student_id, GradeCell.name, Grade)
        .select_from(Grade)
        .join(GradeCell, GradeCell.id == Grade.cell_id)
        .join(SubmittedNotebook, SubmittedNotebook.id == Grade.notebook_id)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .filter(Assignment.name == lesson, GradeCell.name.in_(list(cells)))
    )
    for learner, name, grade in found.all():
        yield learner, name.removeprefix(CHECK), grade
