"""What lateness takes off, by the due dates and the policy of today; nothing is judged for that."""

from __future__ import annotations

from nbgrader.api import Assignment, SubmittedAssignment, SubmittedNotebook
from nbgrader.plugins import BasePlugin
from nbgrader.preprocessors import AssignLatePenalties

from .folder import CourseFolder


def apply(course: CourseFolder, lesson: str) -> int:
    """Bring the penalty of everybody's submission up to date. Returns how many were not."""
    step = AssignLatePenalties(config=course.config)
    step.init_plugin()
    changed = 0
    with course.gradebook() as gradebook:
        found = (
            gradebook.db.query(SubmittedAssignment, SubmittedNotebook)
            .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
            .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
            .filter(Assignment.name == lesson)
        )
        for submission, notebook in found.all():
            penalty = _penalty(step.plugin_inst, submission, notebook)
            if notebook.late_submission_penalty != penalty:
                notebook.late_submission_penalty = penalty
                changed += 1
        gradebook.db.commit()
    return changed


def _penalty(
    policy: BasePlugin, submission: SubmittedAssignment, notebook: SubmittedNotebook
) -> float | None:
    """As nbgrader's own step has it: none, or from 0 to the score."""
    late = submission.total_seconds_late
    if late <= 0:
        return None
    asked = policy.late_submission_penalty(submission.student_id, notebook.score, late)
    return None if asked is None else min(max(0.0, asked), notebook.score)
