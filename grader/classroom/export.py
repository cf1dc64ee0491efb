"""The course's marks as rows, one for each learner and exercise: CSV, JSON, and nbgrader's own
`nbgrader export --exporter=grader.classroom.export.WarpwiseExporter`; and the grades.csv that plain
`nbgrader export` writes, one row for each learner and lesson."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from nbgrader.api import (
    Assignment,
    Grade,
    Gradebook,
    GradeCell,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.plugins import ExportPlugin
from sqlalchemy.orm import undefer

from ..counted import counted
from ..course.weave import CHECK
from . import spreadsheets, verdicts
from .files import whole
from .folder import CourseFolder

NOT_HANDED_IN = "not_handed_in"  # beside a verdict's statuses
# nbgrader's own, and what whoever reads them should know.
GRADES: tuple[str, ...] = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
)
GRADES += ("raw_score", "late_submission_penalty", "score", "max_score", "note")


@dataclass(frozen=True)
class Row:
    """What a learner got for an exercise. `score` is the gradebook's, an instructor's mark where
    there is one, before the lateness of the whole submission, `late_penalty`, is taken off; None
    where nothing was collected or nothing could be judged. `status` and `line` are the verdict's,
    or "unreadable"; `timestamp` is UTC in ISO format, empty if unknown. `by_judge` is the judge's
    score, `by_hand` an instructor's (`score` is None without both), and `note` says what is wrong
    with the notebook or the mark."""

    learner: str
    lesson: str
    exercise: str
    score: float | None
    max_score: float
    status: str
    line: int | None
    timestamp: str
    late_penalty: float | None
    by_judge: float | None = None
    by_hand: float | None = None
    note: str = ""


class Mark(NamedTuple):
    """A grade as the gradebook has it; `score` is None where the answer could not be judged and
    nobody has marked it; `judged_since`: that it was judged after an instructor had
    given a mark, and none has saved one since then."""

    learner: str
    cell: str
    score: float | None
    most: float
    when: datetime | None
    penalty: float | None
    by_judge: float | None
    by_hand: float | None
    judged_since: bool


class WarpwiseExporter(ExportPlugin):
    """nbgrader's interface to the rows: --to FILE.json gives JSON, any other name CSV."""

    def export(self, gradebook: Gradebook) -> None:
        """Write the rows, of the lessons and learners that nbgrader was asked for, or of all."""
        lessons = self.assignment or sorted(one.name for one in gradebook.assignments)
        found = [
            row for name in lessons for row in rows(CourseFolder(self.config), gradebook, name)
        ]
        chosen = set(map(str, self.student)) or {row.learner for row in found}
        path = Path(self.to or "exercises.csv")
        write = write_json if path.suffix == ".json" else write_csv
        write([row for row in found if row.learner in chosen], path)


class GradesExporter(ExportPlugin):
    """What nbgrader's CsvExportPlugin writes, with a note, by a writer of CSV, and with nothing in
    the place of scores that nobody has."""

    def export(self, gradebook: Gradebook) -> None:
        asked = set(map(str, self.assignment)) or {one.name for one in gradebook.assignments}
        lessons = [one for one in gradebook.assignments if one.name in asked]
        found = [
            row
            for lesson in lessons
            for row in _grades(CourseFolder(self.config), gradebook, lesson)
        ]
        chosen = set(map(str, self.student)) or {str(row["student_id"]) for row in found}
        kept = [row for row in found if row["student_id"] in chosen]
        spreadsheets.write(Path(self.to or "grades.csv"), GRADES, kept)


def _grades(
    course: CourseFolder, gradebook: Gradebook, lesson: Assignment
) -> Iterator[dict[str, object]]:
    """The rows of grades.csv about one lesson."""
    marked = {one.student_id: one for one in submissions(gradebook, lesson.name)}
    without = unmarked(gradebook, lesson.name)
    notes: dict[str, dict[str, None]] = {}
    for row in rows(course, gradebook, lesson.name):
        if row.note:
            notes.setdefault(row.learner, {})[row.note] = None
    for student in gradebook.students:
        said = " ".join(notes.get(student.id, ()))
        known: dict[str, object] = {"assignment": lesson.name, "duedate": lesson.duedate}
        known |= {"max_score": lesson.max_score, "note": said, "student_id": student.id}
        known |= {"last_name": student.last_name, "first_name": student.first_name}
        known |= {"email": student.email}
        scores = _scores(marked.get(student.id))
        scores |= dict.fromkeys(("raw_score", "score")) if student.id in without else {}
        yield dict.fromkeys(GRADES) | known | scores


def _scores(submission: SubmittedAssignment | None) -> dict[str, object]:
    if submission is None:
        return {}
    score, penalty = submission.score, submission.late_submission_penalty
    return {
        "timestamp": submission.timestamp,
        "raw_score": score,
        "late_submission_penalty": penalty,
        "score": max(0.0, score - penalty),
    }


def submissions(gradebook: Gradebook, lesson: str) -> list[SubmittedAssignment]:
    """Everybody's submission of a lesson, with its score and what lateness takes off: in one
    question to the database, where nbgrader's own list asks for these one by one."""
    wanted = [undefer(SubmittedAssignment.score)]
    wanted += [undefer(SubmittedAssignment.late_submission_penalty)]
    found: list[SubmittedAssignment] = (
        gradebook.db.query(SubmittedAssignment)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .filter(Assignment.name == lesson)
        .options(*wanted)
        .all()
    )
    return found


def rows(course: CourseFolder, gradebook: Gradebook, lesson: str) -> list[Row]:
    """The rows of a lesson, by learner and exercise; a learner whom the gradebook knows and who
    handed nothing in has rows as well."""
    kept: dict[str, dict[str, verdicts.Kept]] = {}
    found = []
    for mark in marks(gradebook, lesson):
        if mark.learner not in kept:
            kept[mark.learner] = _verdicts(course, lesson, mark.learner)
        found.append(_row(mark, lesson, kept[mark.learner]))
    found += _absent(gradebook, lesson, set(kept))
    return sorted(found, key=lambda row: (row.learner, row.exercise))


def _row(mark: Mark, lesson: str, kept: dict[str, verdicts.Kept]) -> Row:
    name = mark.cell.removeprefix(CHECK)
    known = kept.get(name, verdicts.Kept(problem="", verdict={}))
    verdict = known["verdict"]
    return Row(
        learner=mark.learner,
        lesson=lesson,
        exercise=name,
        score=mark.score,
        max_score=mark.most,
        status=verdict.get("status", ""),
        line=verdict.get("line"),
        timestamp=mark.when.isoformat() if mark.when else "",
        late_penalty=mark.penalty or 0.0,
        by_judge=mark.by_judge,
        by_hand=mark.by_hand,
        note=" ".join(filter(None, (known["problem"], overridden(mark)))),
    )


def overridden(mark: Mark) -> str:
    """What to say of a mark given by hand that meets another one of the judge's, which nobody has
    looked at; empty where there is nothing to decide."""
    if mark.by_judge is None or not mark.judged_since or mark.by_hand in (None, mark.by_judge):
        return ""
    return (
        f"{mark.cell.removeprefix(CHECK)} keeps the {counted(mark.by_hand, 'point')} given by "
        f"hand; judged again since then, it would get {mark.by_judge:g}: save the one you "
        "want in formgrader."
    )


def marks(gradebook: Gradebook, lesson: str) -> Iterator[Mark]:
    """Each grade of the lesson. One question to the database; through the objects' attributes it
    would be thousands."""
    submitted, notebook = SubmittedAssignment, SubmittedNotebook
    found = (
        gradebook.db.query(
            submitted.student_id,
            GradeCell.name,
            Grade.score,
            GradeCell.max_score,
            submitted.timestamp,
            notebook.late_submission_penalty,
            Grade.auto_score,
            Grade.manual_score,
            Grade.needs_manual_grade,
        )
        .select_from(Grade)
        .join(GradeCell, GradeCell.id == Grade.cell_id)
        .join(notebook, notebook.id == Grade.notebook_id)
        .join(submitted, submitted.id == notebook.assignment_id)
        .join(Assignment, Assignment.id == submitted.assignment_id)
        .filter(Assignment.name == lesson)
    )
    for mark in map(Mark._make, found):
        yield mark._replace(score=None) if mark.by_judge is mark.by_hand is None else mark


def unmarked(gradebook: Gradebook, lesson: str) -> set[str]:
    """The learners of whom something that counts could not be judged: they have no mark."""
    return {one.learner for one in marks(gradebook, lesson) if one.most and one.score is None}


def _verdicts(course: CourseFolder, lesson: str, learner: str) -> dict[str, verdicts.Kept]:
    try:
        return verdicts.read(course.path("autograded", lesson, learner))
    except FileNotFoundError:  # marked by hand alone, or moved away
        return {}


def _absent(gradebook: Gradebook, lesson: str, present: set[str]) -> Iterator[Row]:
    """Rows for the learners who have no marks at all, of a lesson that the gradebook has."""
    known = [one for one in gradebook.assignments if one.name == lesson]
    asked = [
        (cell.name.removeprefix(CHECK), cell.max_score)
        for assignment in known
        for notebook in assignment.notebooks
        for cell in notebook.grade_cells
    ]
    for student in gradebook.students:
        if student.id not in present:
            for name, most in asked:
                yield Row(student.id, lesson, name, None, most, NOT_HANDED_IN, None, "", None)


def write_csv(rows: Iterable[Row], path: Path) -> None:
    spreadsheets.write(path, [field.name for field in fields(Row)], map(asdict, rows))


def write_json(rows: Iterable[Row], path: Path) -> None:
    whole(path, json.dumps([asdict(row) for row in rows], indent=1) + "\n")
