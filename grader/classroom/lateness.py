"""What lateness takes off, by the due dates and the policy of today; nothing is judged for that.

course.toml goes before: its due dates become the gradebook's, its extensions nbgrader's, and its
policy decides. For a lesson without a policy there nbgrader's own plug-in does, as configured.
"""

from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import is_grade

from ..course.weave import grade_id
from . import coursefile
from .folder import CourseFolder
from .planning import standings, submitted
from .verdicts import mark_of


class AssignLateness(AssignLatePenalties):
    """In nbgrader's own step, so that formgrader's button takes off as much as `grader` does."""

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        course, where = CourseFolder(self.config), resources["nbgrader"]
        lesson, learner = where["assignment"], where["student"]
        # nbgrader has a 0 for what could not be judged: an instructor is to look.
        with course.gradebook() as gradebook:
            for cell in (one for one in nb.cells if is_grade(one) and mark_of(one) is None):
                grade = gradebook.find_grade(grade_id(cell), lesson, lesson, learner)
                grade.auto_score, grade.needs_manual_grade = None, True
            gradebook.db.commit()
        apply(course, learner)
        return nb, resources


def apply(course: CourseFolder, learner: str | None = None) -> None:
    """Bring the due dates, and everybody's or one learner's extensions and penalties, up to date.
    All lessons are looked at, since late days spent on one are missing in the next."""
    file, step = coursefile.read(course), AssignLatePenalties(config=course.config)
    step.init_plugin()
    with course.gradebook() as gradebook:
        for assignment in gradebook.assignments:
            assignment.duedate = file.plan(assignment.name).due or assignment.duedate
        for name, mine in submitted(gradebook, learner).items():
            rows = {handed_in: rows for handed_in, *rows in mine}
            for handed_in, lateness in standings(file, name, rows):
                submission, notebook = rows[handed_in]
                planned, penalty = file.plan(handed_in.lesson).due, lateness.penalty or None
                if lateness.due is not None and planned is not None:
                    submission.extension = lateness.due - planned or None
                # As nbgrader's own step has it: none, or from 0 to the score, for what late days
                # have not paid for.
                late = submission.total_seconds_late - lateness.paid
                if lateness.penalty is None and late > 0:
                    off = step.plugin_inst.late_submission_penalty(name, notebook.score, late)
                    penalty = None if off is None else min(max(0.0, off), notebook.score)
                notebook.late_submission_penalty = penalty
        gradebook.db.commit()
