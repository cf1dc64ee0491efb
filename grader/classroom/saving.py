"""A submission's marks as rows of nbgrader's gradebook.

nbgrader's own way to a submission's rows reads them one by one and goes to the disk three times a
learner, which takes most of the time that a class needs here. These are the same rows, in one
transaction for many learners; tests/classroom/test_entering.py holds them beside nbgrader's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from nbgrader.api import (
    Comment,
    Grade,
    Gradebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    new_uuid,
)
from sqlalchemy import Table, Update, bindparam, insert, select, true, update

_STUDENTS, _SUBMITTED, _NOTEBOOKS, _GRADES, _COMMENTS = (
    one.__table__ for one in (Student, SubmittedAssignment, SubmittedNotebook, Grade, Comment)
)


@dataclass(frozen=True)
class Marks:
    """What the gradebook is told of one learner's submission: when it was handed in, and scores and
    comments by the gradebook's ids of cells; a score of None: it could not be judged."""

    learner: str
    when: datetime | None
    scores: Mapping[str, float | None]
    comments: Mapping[str, str | None]


@dataclass(frozen=True)
class Saving:
    """The gradebook, open, for one lesson's marks. `submitted` has the id of each learner's
    submission and that of its notebook, `students` everybody whom the gradebook knows."""

    gradebook: Gradebook
    assignment: str
    notebook: str
    students: set[str]
    submitted: dict[str, tuple[str, str]]

    def save(self, all_marks: Iterable[Marks], create: bool = True) -> None:
        """All or nothing of it. A mark given by hand stays, and waits for a look. Without `create`
        a learner must be known."""
        try:
            saved = {marks.learner: self._saved(marks, create) for marks in all_marks}
            self.gradebook.db.commit()
        except BaseException:
            self.gradebook.db.rollback()
            raise
        self.students.update(saved)
        self.submitted.update(saved)

    def _saved(self, marks: Marks, create: bool) -> tuple[str, str]:
        """The ids of the submission and of its notebook."""
        if marks.learner not in self.students:
            if not create:
                self.gradebook.find_student(marks.learner)
            self.gradebook.db.execute(insert(_STUDENTS), {"id": marks.learner})
        if marks.learner not in self.submitted:
            return self._insert(marks)
        self._update(*self.submitted[marks.learner], marks)
        return self.submitted[marks.learner]

    def _insert(self, marks: Marks) -> tuple[str, str]:
        submission, notebook = new_uuid(), new_uuid()
        whose = {"assignment_id": self.assignment, "student_id": marks.learner}
        of = {"assignment_id": submission, "notebook_id": self.notebook}
        execute = self.gradebook.db.execute
        execute(insert(_SUBMITTED), {"id": submission, "timestamp": marks.when, **whose})
        execute(insert(_NOTEBOOKS), {"id": notebook, **of})
        for table, rows in (
            (_GRADES, _graded(marks.scores)),
            (_COMMENTS, _commented(marks.comments)),
        ):
            if rows:
                execute(insert(table), [{"notebook_id": notebook, **row} for row in rows])
        return submission, notebook

    def _update(self, submission: str, notebook: str, marks: Marks) -> None:
        execute = self.gradebook.db.execute
        if marks.when is not None:
            handed_in = update(_SUBMITTED).where(_SUBMITTED.c.id == submission)
            execute(handed_in, {"timestamp": marks.when})
        by_hand = _GRADES.c.manual_score.is_not(None)
        for judged, waits in ((True, by_hand), (False, true())):
            rows = [
                {"cell": cell, "auto_score": score}
                for cell, score in marks.scores.items()
                if (score is not None) == judged
            ]
            if rows:
                execute(_of(_GRADES, notebook).values(needs_manual_grade=waits), rows)
        rows = [{"cell": cell, "auto_comment": text} for cell, text in marks.comments.items()]
        if rows:
            execute(_of(_COMMENTS, notebook), rows)


def open_for(gradebook: Gradebook, lesson: str) -> Saving:
    """For the marks of a lesson that was released."""
    db = gradebook.db
    notebook = gradebook.find_notebook(lesson, lesson)
    found = db.execute(
        select(_SUBMITTED.c.student_id, _SUBMITTED.c.id, _NOTEBOOKS.c.id)
        .join(_NOTEBOOKS, _NOTEBOOKS.c.assignment_id == _SUBMITTED.c.id)
        .where(_NOTEBOOKS.c.notebook_id == notebook.id)
    )
    submitted = {learner: (one, of) for learner, one, of in found}
    students = set(db.scalars(select(_STUDENTS.c.id)))
    return Saving(gradebook, notebook.assignment_id, notebook.id, students, submitted)


def _of(table: Table, notebook: str) -> Update:
    """An update of a notebook's rows, cell by cell."""
    return update(table).where(
        table.c.notebook_id == notebook, table.c.cell_id == bindparam("cell")
    )


def _graded(scores: Mapping[str, float | None]) -> list[dict[str, object]]:
    return [
        {"cell_id": cell, "auto_score": score, "needs_manual_grade": score is None}
        for cell, score in scores.items()
    ]


def _commented(comments: Mapping[str, str | None]) -> list[dict[str, object]]:
    return [{"cell_id": cell, "auto_comment": text} for cell, text in comments.items()]
