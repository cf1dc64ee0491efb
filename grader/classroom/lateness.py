"""What lateness takes off, by the due dates and the policy of today; nothing is judged for that.

course.toml goes before: its due dates become the gradebook's, its extensions nbgrader's, and its
policy decides. For a lesson without a policy there nbgrader's own plug-in does, as configured.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any

from nbformat import NotebookNode
from nbgrader.api import Gradebook, SubmittedAssignment, SubmittedNotebook
from nbgrader.plugins import BasePlugin
from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import is_grade
from sqlalchemy.orm import joinedload, undefer

from ..course import Lesson
from ..submissions.intake import grade_id
from . import coursefile
from .coursefile import CourseFile
from .deadlines import HandIn, Standing, standings
from .folder import CourseFolder
from .plugin import mark_of
from .policy import DAY

Submitted = tuple[SubmittedAssignment, SubmittedNotebook]


@dataclass(frozen=True)
class Late:
    """Somebody's standing in a lesson."""

    learner: str
    lesson: str
    standing: Standing


class AssignLateness(AssignLatePenalties):
    """In nbgrader's own step, so that formgrader's button takes off as much as `grader` does."""

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        course, where = CourseFolder(self.config), resources["nbgrader"]
        _leave_open(course, where, nb)
        apply(course, where["student"])
        return nb, resources


def _leave_open(course: CourseFolder, where: dict[str, Any], notebook: NotebookNode) -> None:
    """Take back the 0 that nbgrader has for what could not be judged: an instructor is to look."""
    checks = [cell for cell in notebook.cells if is_grade(cell) and mark_of(cell) is None]
    with course.gradebook() as gradebook:
        for cell in checks:
            lesson = where["assignment"]
            grade = gradebook.find_grade(grade_id(cell), lesson, lesson, where["student"])
            grade.auto_score, grade.needs_manual_grade = None, True
        gradebook.db.commit()


def apply(course: CourseFolder, learner: str | None = None) -> int:
    """Bring the due dates, and everybody's or one learner's extensions and penalties, up to date.
    Returns how many penalties were not. All lessons are looked at, since late days spent on one
    are missing in the next."""
    file, step = coursefile.read(course), AssignLatePenalties(config=course.config)
    step.init_plugin()
    changed = 0
    with course.gradebook() as gradebook:
        _set_dates(gradebook, file)
        for name, pairs in groupby(_submitted(gradebook, learner), itemgetter(0)):
            changed += _settle(file, name, [pair[1:] for pair in pairs], step.plugin_inst)
        gradebook.db.commit()
    return changed


def late(file: CourseFile, gradebook: Gradebook) -> list[Late]:
    """How everybody stands in every lesson that was handed in."""
    return [
        Late(learner, one.lesson, standing)
        for learner, pairs in groupby(_submitted(gradebook), itemgetter(0))
        for one, standing in standings(file, learner, _hand_ins(pair[1:] for pair in pairs))
    ]


def closes(course: CourseFolder, lesson: Lesson) -> datetime | None:
    """From when on nobody can hand the lesson in for points: when it was due for all, with
    sections, extensions and late days. None: never, or not known, as it is not due."""
    file = coursefile.read(course)
    plan = file.plan(lesson.name)
    dates = {plan.due, *plan.sections.values(), *plan.extensions.values()}
    if plan.due is None:
        with course.gradebook() as gradebook:
            known = [one for one in gradebook.assignments if one.name == lesson.name]
            dates = {one.duedate for one in known}
            dates |= {each.duedate for one in known for each in one.submissions}
    most = sum(exercise.points for exercise in lesson.exercises)
    late = (plan.late.ends(most) if plan.late else 0.0) + file.late_days * DAY
    known_dates = [one for one in dates if one is not None]
    if not known_dates or late == math.inf:
        return None
    return max(known_dates) + timedelta(seconds=late)


def _set_dates(gradebook: Gradebook, file: CourseFile) -> None:
    """The lessons' due dates, where the course file has one."""
    for assignment in gradebook.assignments:
        when = file.plan(assignment.name).due
        if when is not None and assignment.duedate != when:
            assignment.duedate = when


def _submitted(gradebook: Gradebook, learner: str | None = None) -> list[tuple[Any, ...]]:
    """Learner, submission and notebook of each submission, learner by learner."""
    found = (
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
        found = found.filter(SubmittedAssignment.student_id == learner)
    rows: list[tuple[Any, ...]] = found.all()
    return rows


def _hand_ins(pairs: Iterable[Submitted]) -> list[HandIn]:
    return [
        HandIn(one.assignment.name, one.timestamp, notebook.score, notebook.max_score)
        for one, notebook in pairs
    ]


def _settle(file: CourseFile, learner: str, pairs: list[Submitted], plugin: BasePlugin) -> int:
    """Of one learner: extensions and penalties. Returns how many penalties were others."""
    found = dict(zip(_hand_ins(pairs), pairs, strict=True))
    changed = 0
    for one, standing in standings(file, learner, found):
        submission, notebook = found[one]
        planned = file.plan(one.lesson).due
        if standing.due is not None and planned is not None:
            extension = standing.due - planned
            submission.extension = extension or None
        penalty = standing.penalty or None
        if standing.penalty is None:
            spared = standing.late - standing.charged
            penalty = _by_plugin(plugin, submission, notebook, spared)
        if notebook.late_submission_penalty != penalty:
            notebook.late_submission_penalty = penalty
            changed += 1
    return changed


def _by_plugin(
    policy: BasePlugin, submission: SubmittedAssignment, notebook: SubmittedNotebook, spared: float
) -> float | None:
    """As nbgrader's own step has it: none, or from 0 to the score. `spared`: seconds that late days
    paid for."""
    late = submission.total_seconds_late - spared
    if late <= 0:
        return None
    asked = policy.late_submission_penalty(submission.student_id, notebook.score, late)
    return None if asked is None else min(max(0.0, asked), notebook.score)
