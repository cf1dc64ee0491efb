"""The course's marks as rows, one for each learner and exercise: CSV, JSON, and nbgrader's own
`nbgrader export --exporter=grader.classroom.export.WarpwiseExporter`; and the grades.csv that plain
`nbgrader export` writes, one row for each learner and lesson."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    GradeCell,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.plugins import ExportPlugin
from sqlalchemy.orm import Query

from ..counted import counted
from ..course.weave import CHECK
from ..whole_files import whole
from . import spreadsheets, verdicts
from .folder import CourseFolder

NOT_HANDED_IN = "not_handed_in"  # beside a verdict's statuses
# nbgrader's own, and what whoever reads them should know.
GRADES = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score", "note"),
)


@dataclass(frozen=True)
class ExerciseRow:
    """The marks of a learner for an exercise."""

    learner: str
    lesson: str
    exercise: str
    # Points in the gradebook, an instructor's mark where there is one, before the lateness of the
    # whole submission is taken off; None: nothing was collected, or nothing could be judged.
    score: float | None
    max_score: float
    status: str  # the verdict's, or "unreadable"
    line: int | None  # the verdict's
    timestamp: str  # UTC in ISO format; empty: unknown
    late_penalty: float | None  # points off the whole submission
    by_judge: float | None = None
    by_hand: float | None = None  # an instructor's; `score` is None without both
    note: str = ""  # what is wrong with the notebook or the mark


class GradebookMark(NamedTuple):
    """A grade as the gradebook has it."""

    learner: str
    cell: str
    score: float | None  # None: the answer could not be judged, and nobody has marked it
    max_score: float
    when: datetime | None
    late_penalty: float | None  # points off the whole submission
    by_judge: float | None
    by_hand: float | None
    judged_since: bool  # after an instructor had given a mark, and none has saved one since then


# --- the gradebook -------------------------------------------------------------------------------


def of_cells(
    gradebook: Gradebook,
    lesson: str,
    row: type[Grade] | type[Comment],
    cell: type[BaseCell],
    *columns: Any,
) -> "Query[Any]":
    """The learner, the cell's name and further columns of each grade, or comment, of a lesson. One
    question to the database; through the objects' attributes it would be thousands."""
    query: Query[Any] = (
        gradebook.db.query(SubmittedAssignment.student_id, cell.name, *columns)
        .select_from(row)
        .join(cell, cell.id == row.cell_id)
        .join(SubmittedNotebook, SubmittedNotebook.id == row.notebook_id)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .filter(Assignment.name == lesson)
    )
    return query


def by_learner(gradebook: Gradebook, lesson: str) -> dict[str, list[GradebookMark]]:
    """Everybody's grades of the lesson."""
    found = defaultdict(list)
    rows = of_cells(
        gradebook,
        lesson,
        Grade,
        GradeCell,
        Grade.score,
        GradeCell.max_score,
        SubmittedAssignment.timestamp,
        SubmittedNotebook.late_submission_penalty,
        Grade.auto_score,
        Grade.manual_score,
        Grade.needs_manual_grade,
    )
    for mark in map(GradebookMark._make, rows):
        is_marked = not (mark.by_judge is mark.by_hand is None)
        found[mark.learner].append(mark if is_marked else mark._replace(score=None))
    return found


def total(marks: Sequence[GradebookMark | ExerciseRow]) -> float | None:
    """The points for a learner's lesson, lateness taken off; None where something that counts has
    no mark."""
    if any(mark.score is None and mark.max_score for mark in marks):
        return None
    late = max((mark.late_penalty or 0.0 for mark in marks), default=0.0)
    return max(0.0, sum(mark.score or 0.0 for mark in marks) - late)


def unmarked(gradebook: Gradebook, lesson: str) -> set[str]:
    """The learners of whom something that counts could not be judged: they have no mark."""
    return {who for who, mine in by_learner(gradebook, lesson).items() if total(mine) is None}


def full_name(student: Student) -> str:
    """First and last name of a learner, as far as the gradebook has them."""
    return " ".join(filter(None, (student.first_name, student.last_name)))


# --- rows ----------------------------------------------------------------------------------------


def rows(course: CourseFolder, gradebook: Gradebook, lesson: str) -> list[ExerciseRow]:
    """The rows of a lesson, by learner and exercise; a learner whom the gradebook knows and who
    handed nothing in has rows as well."""
    found, handed_in = [], by_learner(gradebook, lesson)
    for learner, mine in handed_in.items():
        kept = verdicts.read_if_any(course.path("autograded", lesson, learner))
        found += [_row(mark, lesson, kept) for mark in mine]
    asked = [
        (cell.name.removeprefix(CHECK), cell.max_score)
        for assignment in gradebook.assignments
        if assignment.name == lesson
        for notebook in assignment.notebooks
        for cell in notebook.grade_cells
    ]
    absent = {student.id for student in gradebook.students} - handed_in.keys()
    found += [
        ExerciseRow(learner, lesson, name, None, most, NOT_HANDED_IN, None, "", None)
        for learner in absent
        for name, most in asked
    ]
    return sorted(found, key=lambda row: (row.learner, row.exercise))


def _row(mark: GradebookMark, lesson: str, kept: dict[str, verdicts.KeptVerdict]) -> ExerciseRow:
    name = mark.cell.removeprefix(CHECK)
    known = kept.get(name, verdicts.KeptVerdict(problem="", verdict={}))
    return ExerciseRow(
        learner=mark.learner,
        lesson=lesson,
        exercise=name,
        score=mark.score,
        max_score=mark.max_score,
        status=known["verdict"].get("status", ""),
        line=known["verdict"].get("line"),
        timestamp=mark.when.isoformat() if mark.when else "",
        late_penalty=mark.late_penalty or 0.0,
        by_judge=mark.by_judge,
        by_hand=mark.by_hand,
        note=" ".join(filter(None, (known["problem"], overridden(mark)))),
    )


def overridden(mark: GradebookMark) -> str:
    """A sentence about a mark given by hand that meets another one of the judge's, which nobody has
    looked at; empty where there is nothing to decide."""
    if mark.by_judge is None or not mark.judged_since or mark.by_hand in (None, mark.by_judge):
        return ""
    return (
        f"{mark.cell.removeprefix(CHECK)} keeps the {counted(mark.by_hand, 'point')} given by "
        f"hand; judged again since then, it would get {mark.by_judge:g}: save the one you "
        "want in formgrader."
    )


# --- files ---------------------------------------------------------------------------------------


def write_csv(rows: Iterable[ExerciseRow], path: Path) -> None:
    spreadsheets.write(path, [field.name for field in fields(ExerciseRow)], map(asdict, rows))


def write_json(rows: Iterable[ExerciseRow], path: Path) -> None:
    whole(path, json.dumps([asdict(row) for row in rows], indent=1) + "\n")


class WarpwiseExporter(ExportPlugin):
    """nbgrader's interface to the rows: --to FILE.json gives JSON, any other name CSV."""

    def export(self, gradebook: Gradebook) -> None:
        """Write the rows, of the lessons and learners that nbgrader was asked for, or of all."""
        course, chosen = CourseFolder(self.config), set(map(str, self.student))
        lessons = self.assignment or sorted(lesson.name for lesson in gradebook.assignments)
        found = [row for name in lessons for row in rows(course, gradebook, name)]
        path = Path(self.to or "exercises.csv")
        write = write_json if path.suffix == ".json" else write_csv
        write([row for row in found if not chosen or row.learner in chosen], path)


class GradesExporter(ExportPlugin):
    """The file that nbgrader's CsvExportPlugin writes, with a note, by a writer of CSV, and with
    nothing in the place of scores that nobody has."""

    def export(self, gradebook: Gradebook) -> None:
        """Write grades.csv, of the lessons and learners that nbgrader was asked for, or of all."""
        course, chosen = CourseFolder(self.config), set(map(str, self.student))
        asked = set(map(str, self.assignment))
        found = [
            row
            for lesson in gradebook.assignments
            if not asked or lesson.name in asked
            for row in _grades(course, gradebook, lesson)
            if not chosen or row["student_id"] in chosen
        ]
        spreadsheets.write(Path(self.to or "grades.csv"), GRADES, found)


def _grades(
    course: CourseFolder, gradebook: Gradebook, lesson: Assignment
) -> Iterator[dict[str, object]]:
    """The rows of grades.csv about one lesson."""
    marked = by_learner(gradebook, lesson.name)
    notes: dict[str, dict[str, None]] = defaultdict(dict)
    for row in rows(course, gradebook, lesson.name):
        notes[row.learner] |= {row.note: None} if row.note else {}
    for student in gradebook.students:
        known: dict[str, object] = {
            **dict.fromkeys(GRADES),
            "assignment": lesson.name,
            "duedate": lesson.duedate,
            "max_score": lesson.max_score,
            "note": " ".join(notes[student.id]),
            "student_id": student.id,
            "last_name": student.last_name,
            "first_name": student.first_name,
            "email": student.email,
        }
        if mine := marked.get(student.id):
            known |= {
                "timestamp": mine[0].when,
                "late_submission_penalty": mine[0].late_penalty or 0.0,
            }
            if (score := total(mine)) is not None:
                known |= {"raw_score": sum(mark.score or 0.0 for mark in mine), "score": score}
        yield known
