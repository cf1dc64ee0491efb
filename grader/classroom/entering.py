"""Marks entered in the gradebook, as nbgrader's own autograde step enters them.

That step opens the gradebook ten times for a submission and checks each notebook eight times, which
takes ten times as long as everything here; it reads a submission's rows one by one and goes to the
disk three times per learner. What it would do under the course's own config is little: our two
preprocessors make the notebook (see `plugin`), and what stands in its check cells goes into the
gradebook, in one transaction for many learners. formgrader's button still goes nbgrader's way, and
tests/classroom/test_entering.py holds one beside the other, file by file and row by row.
"""

import shutil
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbgrader import utils
from nbgrader.api import (
    Comment,
    Grade,
    Gradebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    new_uuid,
)
from sqlalchemy import func, or_, select
from sqlalchemy.dialects.sqlite import insert

from .. import course as lessons
from ..course.weave import text
from ..judge import Verdict
from ..submissions.intake import grade_id
from ..submissions.submission import STAMP
from ..whole_files import filed, linked, whole
from . import plugin, verdicts
from .folder import explained
from .grading import Grading, SubmittedWork

_STUDENTS, _SUBMITTED, _NOTEBOOKS, _GRADES, _COMMENTS = (
    table.__table__ for table in (Student, SubmittedAssignment, SubmittedNotebook, Grade, Comment)
)
_OF_CELL = ("cell_id", "notebook_id")  # by which the gradebook knows a grade or a comment
_NEW_COMMENTS, _NEW_GRADES = insert(_COMMENTS), insert(_GRADES)
_NEW_COMMENTS = _NEW_COMMENTS.on_conflict_do_update(
    _OF_CELL, set_={"auto_comment": _NEW_COMMENTS.excluded.auto_comment}
)
_NEW_GRADES = _NEW_GRADES.on_conflict_do_update(
    _OF_CELL,
    set_={
        "auto_score": _NEW_GRADES.excluded.auto_score,
        "needs_manual_grade": or_(
            _NEW_GRADES.excluded.needs_manual_grade, _GRADES.c.manual_score.is_not(None)
        ),
    },
)


@dataclass(frozen=True)
class MarkedNotebook:
    """A submission with its marks."""

    notebook: str  # the file's text
    kept: bytes  # the content of the file of verdicts
    scores: Mapping[str, float | None]  # by check cell; None: it could not be judged
    blank: frozenset[str]  # solution cells that are as handed out


class Entering:
    """The way of one run into the gradebook, which the caller holds open. What learners hand in
    alike is marked once."""

    def __init__(self, grading: Grading, gradebook: Gradebook):
        name = grading.lesson
        self.grading, self.gradebook, self.db = grading, gradebook, gradebook.db
        self.lesson = lessons.lesson(name, grading.course.kernels)
        self.pairs = plugin.released_pairs(gradebook, name)
        released = gradebook.find_notebook(name, name)
        self.assignment, self.notebook = released.assignment_id, released.id
        self.checksums = {cell.name: cell.checksum for cell in released.source_cells}
        self.checks = {cell.name: cell.id for cell in released.grade_cells}
        self.answers = {cell.name: cell.id for cell in released.solution_cells}
        rows = self.db.execute(
            select(_SUBMITTED.c.student_id, _SUBMITTED.c.id, _NOTEBOOKS.c.id)
            .join(_NOTEBOOKS, _NOTEBOOKS.c.assignment_id == _SUBMITTED.c.id)
            .where(_NOTEBOOKS.c.notebook_id == released.id)
        )
        # By learner the ids of the submission and of its notebook.
        self.submitted = {learner: (submission, book) for learner, submission, book in rows}
        self._marked: dict[tuple[str, plugin.Marking], MarkedNotebook] = {}
        self._lies: dict[str, tuple[Path, int]] = {}  # by notebook's text: where, inode

    def enter(self, works: Mapping[str, SubmittedWork]) -> None:
        """Write the graded notebooks, by learner, then all their marks, then that both are there:
        whoever is stopped in between begins these submissions anew. MachineError, or ClassroomError
        when that failed for one of these alone, and then for none of them is anything saved."""
        lesson, course = self.grading.lesson, self.grading.course
        with explained(lesson):
            places = {learner: course.path("autograded", lesson, learner) for learner in works}
            marked = {learner: self._mark(work) for learner, work in works.items()}
            for learner, work in works.items():
                self._write(places[learner], marked[learner], work.beside)
            try:
                for learner, work in works.items():
                    self._save(learner, marked[learner], work)
                self.db.commit()
            except BaseException:
                self.db.rollback()
                raise
            for learner, work in works.items():
                verdicts.complete(places[learner], work.fingerprint, work.had)

    # --- notebooks -------------------------------------------------------------------------------

    def _mark(self, work: SubmittedWork) -> MarkedNotebook:
        same = (work.notebook, work.marking)
        if same in self._marked:
            return self._marked[same]

        def known(exercise: str, source: str) -> Verdict:
            return self.grading.store.verdict(self.grading.question(exercise, source))

        notebook = nbformat.reads(work.notebook, as_version=4)
        answers = plugin.take(notebook, deepcopy(self.pairs), work.marking.unreadable)
        kept = plugin.fill(notebook, self.lesson, answers, known, work.marking)
        scores, blank = {}, set()
        for cell in notebook.cells:
            if not (name := grade_id(cell)):
                continue
            cell.metadata.nbgrader["checksum"] = self.checksums[name]
            if utils.is_grade(cell):
                scores[name] = verdicts.mark_of(cell)
            elif cell.metadata.nbgrader["checksum"] == utils.compute_checksum(cell):
                blank.add(name)
        marked = MarkedNotebook(text(notebook), verdicts.packed(kept), scores, frozenset(blank))
        self._marked[same] = marked
        return marked

    def _write(self, place: Path, marked: MarkedNotebook, beside: dict[str, str]) -> None:
        """All that nbgrader leaves of a submission in autograded/, and nothing of an earlier one.
        Of notebooks that are alike in all, as those of a team, there is one on the disk."""
        if place.exists():
            shutil.rmtree(place)
        filed(place / verdicts.FILE, marked.kept, verdicts.READ_ONLY)
        for name, content in beside.items():
            whole(place / name, content, verdicts.READ_ONLY)
        path = place / f"{self.grading.lesson}.ipynb"
        twin, inode = self._lies.get(marked.notebook, (path, 0))
        # Somebody may have had the other graded anew meanwhile, with formgrader's button.
        if not (twin.exists() and twin.stat().st_ino == inode and linked(path, twin)):
            whole(path, marked.notebook, verdicts.READ_ONLY)
            self._lies[marked.notebook] = path, path.stat().st_ino

    # --- rows of the gradebook -------------------------------------------------------------------

    def _save(self, learner: str, marked: MarkedNotebook, work: SubmittedWork) -> None:
        """Tell the gradebook of a submission, in place of an earlier one. A mark given by hand
        stays, and waits for a look. Where nbgrader may not make students, a learner must be
        known."""
        if self.grading.course.config.Autograde.get("create_student", True):
            self.db.execute(insert(_STUDENTS).on_conflict_do_nothing(), {"id": learner})
        else:
            self.gradebook.find_student(learner)
        submission, book = self.submitted.setdefault(learner, (new_uuid(), new_uuid()))
        stamp = work.beside.get(STAMP, "").strip()
        when = utils.parse_utc(stamp) if stamp else None
        new = insert(_SUBMITTED)
        known = func.coalesce(new.excluded.timestamp, _SUBMITTED.c.timestamp)
        new = new.on_conflict_do_update(["id"], set_={"timestamp": known})
        self.db.execute(
            new,
            {
                "id": submission,
                "timestamp": when,
                "assignment_id": self.assignment,
                "student_id": learner,
            },
        )
        self.db.execute(
            insert(_NOTEBOOKS).on_conflict_do_nothing(),
            {"id": book, "assignment_id": submission, "notebook_id": self.notebook},
        )
        grades = [
            {
                "auto_score": marked.scores[name],
                "needs_manual_grade": marked.scores[name] is None,
                "notebook_id": book,
                "cell_id": cell,
            }
            for name, cell in self.checks.items()
        ]
        comments = [
            {
                "auto_comment": "No response." if name in marked.blank else None,
                "notebook_id": book,
                "cell_id": cell,
            }
            for name, cell in self.answers.items()
        ]
        if grades:
            self.db.execute(_NEW_GRADES, grades)
            self.db.execute(_NEW_COMMENTS, comments)
