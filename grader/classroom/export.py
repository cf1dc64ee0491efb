"""The course's marks as rows, one for each learner and exercise: CSV, JSON, and nbgrader's own
`nbgrader export --exporter=grader.classroom.export.WarpwiseExporter`; and the grades.csv that plain
`nbgrader export` writes, one row for each learner and lesson.

The class's marks as one table, a row per learner and a column per lesson: what each gradebook of
another system is made of. And who answered a contest's exercise most cheaply.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any

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

from ..course import Contest, Lesson, Standing
from ..course.weave import CHECK
from ..disk_cache import sealed
from ..errors import counted, unless
from ..grouped import grouped
from ..status import Status
from ..submissions.intake import is_name
from ..whole_files import whole
from . import ClassroomError, coursefile, rubric, spreadsheets, verdicts
from .folder import CourseFolder, secret, user

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
    how: str = ""  # how a rubric made the mark


# --- the gradebook -------------------------------------------------------------------------------


def require_released(gradebook: Gradebook, lesson: str) -> None:
    """ClassroomError unless the gradebook has the lesson and its notebook."""
    unless(
        any(each.notebooks for each in gradebook.assignments if each.name == lesson),
        ClassroomError(f"{lesson} was never released: run `grader release {lesson}`."),
    )


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


def by_learner(gradebook: Gradebook, lesson: str) -> dict[str, list[ExerciseRow]]:
    """Everybody's marks of the lesson as the gradebook has them, without the verdicts. The note is
    about a mark given by hand that meets another one of the judge's, which nobody has looked at."""
    found = of_cells(
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
    return grouped((row.learner, row) for row in (_row(lesson, one) for one in found))


def _row(lesson: str, found: Any) -> ExerciseRow:
    """A row of the gradebook's, of which the last column is true where it was judged after an
    instructor had given a mark, and none has saved one since then."""
    learner, cell, score, most, when, late, by_judge, by_hand, judged_since = found
    name = cell.removeprefix(CHECK)
    return ExerciseRow(
        learner,
        lesson,
        name,
        None if by_judge is by_hand is None else score,  # nbgrader has a 0 for what nobody marked
        most,
        status="",
        line=None,
        timestamp=when.isoformat() if when else "",
        late_penalty=late or 0.0,
        by_judge=by_judge,
        by_hand=by_hand,
        note=f"{name} keeps the {counted(by_hand, 'point')} given by hand; judged again since "
        f"then, it would get {by_judge:g}: save the one you want in formgrader."
        if by_judge is not None and judged_since and by_hand not in (None, by_judge)
        else "",
    )


def total(marks: Sequence[ExerciseRow]) -> float | None:
    """The points for a learner's lesson, lateness taken off; None where something that counts has
    no mark."""
    late = max((mark.late_penalty or 0.0 for mark in marks), default=0.0)
    return (
        None
        if any(mark.score is None and mark.max_score for mark in marks)
        else max(0.0, sum(mark.score or 0.0 for mark in marks) - late)
    )


def when_handed_in(marks: Sequence[ExerciseRow]) -> datetime | None:
    """When a learner handed in, in UTC, as far as the gradebook knows."""
    at = marks[0].timestamp if marks else ""
    return datetime.fromisoformat(at) if at else None


def unmarked(course: CourseFolder, gradebook: Gradebook, lesson: str) -> tuple[set[str], set[str]]:
    """The learners of whom something that counts has no mark: those with an answer that could not
    be judged, and those with one that a person is to mark. A learner may be among both."""
    found = [
        row
        for row in rows(course, gradebook, lesson)
        if row.score is None and row.max_score and row.status != NOT_HANDED_IN
    ]
    return (
        {row.learner for row in found if row.status != Status.KEPT},
        {row.learner for row in found if row.status == Status.KEPT},
    )


def full_name(student: Student) -> str:
    """First and last name of a learner, as far as the gradebook has them."""
    return " ".join(filter(None, (student.first_name, student.last_name)))


# --- rows ----------------------------------------------------------------------------------------


def rows(course: CourseFolder, gradebook: Gradebook, lesson: str) -> list[ExerciseRow]:
    """The rows of a lesson, by learner and exercise; a learner whom the gradebook knows and who
    handed nothing in has rows as well."""
    handed_in, accounts = by_learner(gradebook, lesson), rubric.accounts(course, lesson)
    kept = {
        learner: verdicts.read_if_any(course.path("autograded", lesson, learner))
        for learner in handed_in
    }
    asked = [
        (cell.name.removeprefix(CHECK), cell.max_score)
        for assignment in gradebook.assignments
        if assignment.name == lesson
        for notebook in assignment.notebooks
        for cell in notebook.grade_cells
    ]
    found = [
        *(
            replace(
                _judged(row, kept[learner].get(row.exercise)),
                how=rubric.how(accounts.get((learner, row.exercise)), row.by_hand),
            )
            for learner, mine in handed_in.items()
            for row in mine
        ),
        *(
            ExerciseRow(learner, lesson, name, None, most, NOT_HANDED_IN, None, "", None)
            for learner in {student.id for student in gradebook.students} - handed_in.keys()
            for name, most in asked
        ),
    ]
    return sorted(found, key=lambda row: (row.learner, row.exercise))


def _judged(row: ExerciseRow, kept: verdicts.KeptVerdict | None) -> ExerciseRow:
    """The row with what is kept of the verdict."""
    if kept is None:
        return row
    verdict, note = kept["verdict"], " ".join(filter(None, (kept["problem"], row.note)))
    return replace(row, status=verdict.get("status", ""), line=verdict.get("line"), note=note)


# --- files ---------------------------------------------------------------------------------------


def write_rows(rows: Iterable[ExerciseRow], path: Path) -> None:
    """JSON where that is the file's suffix, else CSV."""
    if path.suffix == ".json":
        whole(path, json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    else:
        spreadsheets.write(path, [field.name for field in fields(ExerciseRow)], map(asdict, rows))


class WarpwiseExporter(ExportPlugin):
    """nbgrader's interface to the rows: --to FILE.json gives JSON, any other name CSV."""

    def export(self, gradebook: Gradebook) -> None:
        """Write the rows, of the lessons and learners that nbgrader was asked for, or of all."""
        course, chosen = CourseFolder(self.config), set(map(str, self.student))
        write_rows(
            [
                row
                for name in self.assignment or sorted(each.name for each in gradebook.assignments)
                for row in rows(course, gradebook, name)
                if not chosen or row.learner in chosen
            ],
            Path(self.to or "exercises.csv"),
        )


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
    notes = grouped(
        (row.learner, row.note) for row in rows(course, gradebook, lesson.name) if row.note
    )
    for student in gradebook.students:
        mine = marked.get(student.id, [])
        score = total(mine) if mine else None
        yield {
            "assignment": lesson.name,
            "duedate": lesson.duedate,
            "timestamp": when_handed_in(mine),
            "student_id": student.id,
            "last_name": student.last_name,
            "first_name": student.first_name,
            "email": student.email,
            "raw_score": None if score is None else sum(mark.score or 0.0 for mark in mine),
            "late_submission_penalty": (mine[0].late_penalty or 0.0) if mine else None,
            "score": score,
            "max_score": lesson.max_score,
            "note": " ".join(dict.fromkeys(notes.get(student.id, ()))),
        }


@dataclass(frozen=True)
class LessonColumn:
    """A lesson in the table."""

    lesson: str
    most: float  # the most points there are
    # By learning platform, what that calls the lesson; where several of its columns could be the
    # lesson's, all of them.
    headings: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class LearnerLine:
    """A learner in the table."""

    learner: str
    first: str
    last: str
    email: str
    person: coursefile.Person
    # By lesson, lateness taken off; without the lessons that nobody collected of this one or that
    # could not be judged.
    scores: dict[str, float]
    comments: dict[str, str]  # by lesson: each exercise's points and diagnosis, in words

    @property
    def listed(self) -> str:
        """The name as lists have it, or the id."""
        return ", ".join(filter(None, (self.last, self.first))) or self.learner

    @property
    def unreadable(self) -> int:
        """How many lessons were handed in and have no mark, as they could not be judged."""
        return len(self.comments.keys() - self.scores.keys())


@dataclass(frozen=True)
class MarksTable:
    """Everybody's marks."""

    columns: tuple[LessonColumn, ...]
    lines: tuple[LearnerLine, ...]
    rows: tuple[ExerciseRow, ...]  # exercise by exercise
    left_out: tuple[str, ...] = ()  # who is not on the roster

    @property
    def most(self) -> float:
        return sum(column.most for column in self.columns)


@dataclass(frozen=True)
class ShownNames:
    """The learners who are shown, and as what: everybody or some sections, by id or by a
    pseudonym."""

    course: CourseFolder
    file: coursefile.CourseFile
    sections: frozenset[str] | None = None
    anonymous: bool = False

    def has(self, learner: str) -> bool:
        return self.sections is None or self.file.person(learner).section in self.sections

    def shown(self, rows: Iterable[ExerciseRow]) -> list[ExerciseRow]:
        """The rows of those who are shown, under the name that they have."""
        return [
            replace(row, learner=self.name(row.learner), note="" if self.anonymous else row.note)
            for row in rows
            if self.has(row.learner)
        ]

    def called(self, gradebook: Gradebook) -> dict[str, str]:
        """By id, what learners are called; nothing where nobody is to be known."""
        people = [] if self.anonymous else gradebook.students
        return {each.id: name for each in people if (name := full_name(each))}

    def name(self, learner: str) -> str:
        """The learner's id, or a pseudonym that stays the same in this course and that nobody can
        trace who has not the course's secret."""
        if not self.anonymous:
            return learner
        key = secret(self.course.secret_file).encode()
        return f"anon-{sealed(key, 'name', learner.encode()).decode()[:8]}"


def shown_names(here: CourseFolder, section: str | None, anonymous: bool = False) -> ShownNames:
    """The learners that a command of this user is about, by the section that was asked for."""
    file = coursefile.read(here)
    return ShownNames(here, file, file.sections_of(user(), section), anonymous)


def read(lessons: list[Lesson], names: ShownNames, everybody: bool = False) -> MarksTable:
    """The marks of those of the lessons that were released, `everybody`: also of those who are not
    on the roster. ClassroomError when there is nothing."""
    course, file = names.course, names.file
    with course.gradebook() as gradebook:
        most = {each.name: each.max_score for each in gradebook.assignments}
        columns = unless(
            tuple(
                LessonColumn(each.name, most[each.name], file.plan(each.name).columns)
                for each in lessons
                if each.name in most
            ),
            ClassroomError("No lesson was released yet: run `grader release LESSON`."),
        )
        of_all = [row for each in columns for row in rows(course, gradebook, each.lesson)]
        scored = grouped((row.learner, row) for row in of_all if row.status != NOT_HANDED_IN)
        left_out = [] if everybody else file.off_roster([each.id for each in gradebook.students])
        lines = sorted(
            (
                _line(names, each, scored.get(each.id, []))
                for each in gradebook.students
                if names.has(each.id) and each.id not in left_out
            ),
            key=lambda line: (line.last.casefold(), line.first.casefold(), line.learner),
        )
    unless(
        lines,
        ClassroomError(
            "Nobody is in the gradebook yet: import a roster, or autograde."
            if names.sections is None
            else f"Nobody in the gradebook is in section {', '.join(sorted(names.sections))}."
        ),
    )
    return MarksTable(
        columns,
        tuple(lines),
        tuple(names.shown(row for row in of_all if row.learner not in left_out)),
        tuple(left_out),
    )


def _line(names: ShownNames, student: Student, rows: list[ExerciseRow]) -> LearnerLine:
    lessons = grouped((row.lesson, row) for row in rows)
    scores = {
        lesson: round(points, 4)
        for lesson, mine in lessons.items()
        if (points := total(mine)) is not None
    }
    late = {lesson: mine[0].late_penalty for lesson, mine in lessons.items()}
    comments = {
        lesson: "; ".join(
            [
                *map(_comment, mine),
                *([f"late: {late[lesson]:g} taken off"] if late[lesson] else []),
            ]
        )
        + "."
        for lesson, mine in lessons.items()
    }
    person = names.file.person(student.id)
    if names.anonymous:
        return LearnerLine(
            names.name(student.id), "", "", "", coursefile.Person(person.section), scores, comments
        )
    return LearnerLine(
        student.id,
        student.first_name or "",
        student.last_name or "",
        student.email or (student.id if "@" in student.id and is_name(student.id) else ""),
        person,
        scores,
        comments,
    )


def _comment(row: ExerciseRow) -> str:
    """The marks for an exercise in words, and without anything of a hidden case."""
    of = f"of {row.max_score:g}" if row.max_score else "extra"
    line = f", line {row.line}" if row.line else ""
    why = "" if row.status in ("passed", "") else f" ({row.status.replace('_', ' ')}{line})"
    points = "no mark" if row.score is None else f"{row.score:g}"
    return f"{row.exercise}: {points} {of}{why}" + (f" ({row.how})" if row.how else "")


def leaderboard(
    course: CourseFolder, lesson: Lesson, contest: Contest, names: ShownNames
) -> list[tuple[int, str, Standing]]:
    """Everybody among those whom `names` gives whose answer passed, by a judge that counted for
    contests; the cheapest first: the place, from 1 on, which those share who stand alike; the name
    as it is shown; and the costs. ClassroomError when nobody is graded yet."""
    from ..judge import Verdict

    unless(
        not names.file.plan(lesson.name).service.vary,
        ClassroomError(f"{lesson.name} has vary = true: learners have different kernels to write."),
    )
    learners = unless(
        course.learners("autograded", lesson.name),
        ClassroomError(f"Nothing is graded yet: run `grader autograde {lesson.name}`."),
    )
    with course.gradebook() as gradebook:
        called = names.called(gradebook)
    answers = {
        learner: Verdict.from_dict(kept[contest.exercise]["verdict"])
        for learner in filter(names.has, learners)
        for kept in [verdicts.read_if_any(course.path("autograded", lesson.name, learner))]
        if contest.exercise in kept
    }
    standings = [
        (contest.standing(verdict.contest), called.get(learner, names.name(learner)))
        for learner, verdict in answers.items()
        if verdict.status == Status.PASSED and verdict.contest
    ]
    order = sorted(standing for standing, _ in standings)
    return [(order.index(each) + 1, name, each) for each, name in sorted(standings)]
