"""The course's marks as rows, one for each learner and exercise: CSV, JSON, and nbgrader's own
`nbgrader export --exporter=grader.classroom.export.WarpwiseExporter`."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from nbgrader.api import (
    Assignment,
    Grade,
    Gradebook,
    GradeCell,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.plugins import ExportPlugin

from ..weave import CHECK
from . import verdicts
from .folder import CourseFolder

NOT_HANDED_IN = "not_handed_in"  # beside a verdict's statuses


@dataclass(frozen=True)
class Row:
    """What a learner got for an exercise. `score` is the gradebook's, an instructor's mark where
    there is one, before the lateness of the whole submission, `late_penalty`, is taken off.
    `status` and `line` are the verdict's; `timestamp` is UTC in ISO format, empty if unknown."""

    learner: str
    lesson: str
    exercise: str
    score: float
    max_score: float
    status: str
    line: int | None
    timestamp: str
    late_penalty: float


class WarpwiseExporter(ExportPlugin):
    """nbgrader's interface to the rows: --to FILE.json gives JSON, any other name CSV."""

    def export(self, gradebook: Gradebook) -> None:
        """Write the rows, of the lessons and learners that nbgrader was asked for, or of all."""
        lessons = self.assignment or sorted(one.name for one in gradebook.assignments)
        found = [
            row for name in lessons for row in rows(CourseFolder(self.config), gradebook, name)
        ]
        chosen = set(self.student) or {row.learner for row in found}
        path = Path(self.to or "exercises.csv")
        write = write_json if path.suffix == ".json" else write_csv
        write([row for row in found if row.learner in chosen], path)


def rows(course: CourseFolder, gradebook: Gradebook, lesson: str) -> list[Row]:
    """The rows of a lesson, by learner and exercise; a learner whom the gradebook knows and who
    handed nothing in has rows as well."""
    kept: dict[str, dict] = {}
    found = []
    for learner, cell, score, most, when, penalty in marks(gradebook, lesson):
        if learner not in kept:
            kept[learner] = _verdicts(course, lesson, learner)
        name = cell.removeprefix(CHECK)
        verdict = kept[learner].get(name, {}).get("verdict", {})
        status, line = verdict.get("status", ""), verdict.get("line")
        at = when.isoformat() if when else ""
        found.append(Row(learner, lesson, name, score, most, status, line, at, penalty or 0.0))
    found += _absent(gradebook, lesson, set(kept))
    return sorted(found, key=lambda row: (row.learner, row.exercise))


def marks(gradebook: Gradebook, lesson: str) -> Iterator[tuple]:
    """For each grade of the lesson: learner, cell, score, the most there is, time, penalty. One
    question to the database; through the objects' attributes it would be thousands."""
    submitted, notebook = SubmittedAssignment, SubmittedNotebook
    yield from (
        gradebook.db.query(
            submitted.student_id,
            GradeCell.name,
            Grade.score,
            GradeCell.max_score,
            submitted.timestamp,
            notebook.late_submission_penalty,
        )
        .select_from(Grade)
        .join(GradeCell, GradeCell.id == Grade.cell_id)
        .join(notebook, notebook.id == Grade.notebook_id)
        .join(submitted, submitted.id == notebook.assignment_id)
        .join(Assignment, Assignment.id == submitted.assignment_id)
        .filter(Assignment.name == lesson)
    )


def _verdicts(course: CourseFolder, lesson: str, learner: str) -> dict[str, dict]:
    try:
        return verdicts.read(course.path("autograded", lesson, learner))
    except (OSError, ValueError, KeyError):  # marked by hand alone, or moved away
        return {}


def _absent(gradebook: Gradebook, lesson: str, present: set[str]) -> Iterator[Row]:
    """Rows for the learners who have no marks at all."""
    cells = [
        (cell.name.removeprefix(CHECK), cell.max_score)
        for notebook in gradebook.find_assignment(lesson).notebooks
        for cell in notebook.grade_cells
    ]
    for student in gradebook.students:
        if student.id not in present:
            for name, most in cells:
                yield Row(student.id, lesson, name, 0.0, most, NOT_HANDED_IN, None, "", 0.0)


def write_csv(rows: Iterable[Row], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)])
        writer.writeheader()
        writer.writerows(map(asdict, rows))


def write_json(rows: Iterable[Row], path: Path) -> None:
    path.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")
