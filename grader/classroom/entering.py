"""Marks entered in the gradebook, as nbgrader's own autograde step enters them.

That step opens the gradebook ten times for a submission and checks each notebook eight times, which
takes ten times as long as everything here. What it would do under the course's own config is
little: our two preprocessors make the notebook (see `plugin`), and what stands in its check cells
goes into the gradebook (see `saving`). formgrader's button still goes nbgrader's way, and
tests/classroom/test_entering.py holds one beside the other, file by file and row by row.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbgrader import utils
from nbgrader.api import Gradebook

from .. import course as lessons
from ..course import Lesson
from ..course.weave import text
from ..judge import Verdict
from ..submissions.intake import grade_id
from ..submissions.submission import STAMP
from . import plugin, saving, verdicts
from .files import linked, whole
from .folder import explained
from .grading import Grading, Work
from .plugin import Marking, Pair
from .saving import Marks, Saving

READ_ONLY = 0o444  # as nbgrader leaves what was graded


@dataclass(frozen=True)
class Marked:
    """A submission with its marks. `notebook` is the file's text, `kept` that of verdicts.py's,
    `scores` are by check cell, and `blank` names the solution cells that are as handed out."""

    notebook: str
    kept: bytes
    scores: dict[str, float | None]
    blank: frozenset[str]


@dataclass
class Entering:
    """One run's way into the gradebook, which it holds open. What learners hand in alike is marked
    once."""

    grading: Grading
    gradebook: Gradebook
    _lesson: Lesson
    _pairs: dict[str, Pair]
    _checksums: dict[str, str]  # by cell
    _checks: dict[str, str]  # the gradebook's ids of check cells, by name
    _answers: dict[str, str]  # the same of solution cells
    _saving: Saving
    _marked: dict[tuple[object, ...], Marked] = field(default_factory=dict)
    _lies: dict[str, tuple[Path, int]] = field(default_factory=dict)  # by notebook: where, inode

    def enter(self, works: Mapping[str, Work]) -> None:
        """Write the graded notebooks, by learner, then all their marks, then that both are there:
        whoever is stopped in between begins these submissions anew. MachineError, or ClassroomError
        when that failed for one of these alone, and then for none of them is anything saved."""
        lesson, course = self.grading.lesson, self.grading.course
        with explained(lesson):
            places = {learner: course.path("autograded", lesson, learner) for learner in works}
            marked = {learner: self._mark(work) for learner, work in works.items()}
            for learner, work in works.items():
                self._write(places[learner], marked[learner], work.beside)
            create = course.config.Autograde.get("create_student", True)
            self._saving.save(
                (self._marks(one, marked[one], work.beside) for one, work in works.items()), create
            )
            for learner, work in works.items():
                verdicts.complete(places[learner], work.fingerprint, work.had)

    def _mark(self, work: Work) -> Marked:
        asked = (work.notebook, work.unreadable, work.remark, work.others, work.floors)
        if asked not in self._marked:
            self._marked[asked] = self._made(work)
        return self._marked[asked]

    def _made(self, work: Work) -> Marked:
        def known(exercise: str, source: str) -> Verdict:
            return self.grading.store.verdict(self.grading.question(exercise, source))

        marking = Marking(known, dict(work.floors), work.unreadable, work.remark, work.others)
        notebook = nbformat.reads(work.notebook, as_version=4)
        answers = plugin.take(notebook, deepcopy(self._pairs), work.unreadable)
        kept = plugin.fill(notebook, self._lesson, answers, marking)
        scores, blank = {}, set()
        for cell in notebook.cells:
            if not (name := grade_id(cell)):
                continue
            cell.metadata.nbgrader["checksum"] = self._checksums[name]
            if utils.is_grade(cell):
                scores[name] = plugin.mark_of(cell)
            elif cell.metadata.nbgrader["checksum"] == utils.compute_checksum(cell):
                blank.add(name)
        return Marked(text(notebook), verdicts.packed(kept), scores, frozenset(blank))

    def _write(self, place: Path, marked: Marked, beside: dict[str, str]) -> None:
        """All that nbgrader leaves of a submission in autograded/, and nothing of an earlier one.
        Of notebooks that are alike in all, as those of a team, there is one on the disk."""
        if place.exists():
            shutil.rmtree(place)
        place.mkdir(parents=True)
        whole(place / verdicts.FILE, marked.kept, READ_ONLY)
        for name, content in beside.items():
            whole(place / name, content, READ_ONLY)
        path = place / f"{self.grading.lesson}.ipynb"
        twin, inode = self._lies.get(marked.notebook, (path, 0))
        # Somebody may have had the other graded anew meanwhile, with formgrader's button.
        if not (twin.exists() and twin.stat().st_ino == inode and linked(path, twin)):
            whole(path, marked.notebook, READ_ONLY)
            self._lies[marked.notebook] = path, path.stat().st_ino

    def _marks(self, learner: str, marked: Marked, beside: dict[str, str]) -> Marks:
        stamp = beside.get(STAMP, "").strip()
        comments = {
            cell: "No response." if name in marked.blank else None
            for name, cell in self._answers.items()
        }
        return Marks(
            learner,
            utils.parse_utc(stamp) if stamp else None,
            {cell: marked.scores[name] for name, cell in self._checks.items()},
            comments,
        )


def open_for(grading: Grading, gradebook: Gradebook) -> Entering:
    """What it takes to enter marks of a lesson; the gradebook stays the caller's to close."""
    name = grading.lesson
    released = gradebook.find_notebook(name, name)
    return Entering(
        grading,
        gradebook,
        lessons.lesson(name, grading.course.kernels),
        plugin.released_pairs(gradebook, name),
        {cell.name: cell.checksum for cell in released.source_cells},
        {cell.name: cell.id for cell in released.grade_cells},
        {cell.name: cell.id for cell in released.solution_cells},
        saving.open_for(gradebook, name),
    )
