"""The class's marks as one table, a line a learner and a column a lesson: what every gradebook that
is written for another system is made of."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from nbgrader.api import Gradebook, Student

from ..course import Lesson
from ..submissions.submission import is_name
from . import ClassroomError, coursefile, export
from .coursefile import CourseFile, Person
from .folder import CourseFolder
from .secret import secret

SHOWN = 8  # hexadecimal digits of a pseudonym


@dataclass(frozen=True)
class Column:
    """A lesson, the most points there are, and what each learning platform calls it, where several
    of its columns could be the lesson's, all of them."""

    lesson: str
    title: str
    most: float
    headings: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Line:
    """A learner. `scores` by lesson, lateness taken off, without the lessons that nobody collected
    of this one or that could not be judged, which are `unreadable`; `comments` by lesson: each
    exercise's points and diagnosis, in words."""

    learner: str
    first: str
    last: str
    email: str
    person: Person
    scores: dict[str, float]
    comments: dict[str, str]

    @property
    def unreadable(self) -> int:
        """How many lessons were handed in and have no mark, as they could not be judged."""
        return len(self.comments.keys() - self.scores.keys())

    @property
    def name(self) -> str:
        return " ".join(filter(None, (self.first, self.last)))


@dataclass(frozen=True)
class Marks:
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    rows: tuple[export.Row, ...]  # exercise by exercise
    left_out: tuple[str, ...] = ()  # who is not on the roster

    @property
    def most(self) -> float:
        return sum(column.most for column in self.columns)


@dataclass(frozen=True)
class Whom:
    """Whose marks are asked for: of one `section` or of all, `anonymous` or not, and with
    `everybody` also of those who are not on the roster."""

    section: str | None = None
    anonymous: bool = False
    everybody: bool = False


def read(course: CourseFolder, lessons: list[Lesson], whom: Whom = Whom()) -> Marks:
    """Of these lessons, those that were released. ClassroomError when there is nothing."""
    file, section = coursefile.read(course), whom.section
    with course.gradebook() as gradebook:
        released = {one.name: one for one in gradebook.assignments}
        columns = tuple(
            Column(one.name, one.title, released[one.name].max_score, file.plan(one.name).columns)
            for one in lessons
            if one.name in released
        )
        if not columns:
            raise ClassroomError("No lesson was released yet: run `grader release LESSON`.")
        rows = [row for one in columns for row in export.rows(course, gradebook, one.lesson)]
        scored: dict[str, list[export.Row]] = {}
        for row in rows:
            if row.status != export.NOT_HANDED_IN:
                scored.setdefault(row.learner, []).append(row)
        lines = [_line(file, one, scored.get(one.id, [])) for one in gradebook.students]
    left_out = [] if whom.everybody else file.off_roster(one.learner for one in lines)
    chosen = [
        one
        for one in lines
        if section in (None, one.person.section) and one.learner not in left_out
    ]
    if not chosen:
        raise ClassroomError(_nobody(file, section))
    names = Names(course, file, section, whom.anonymous)
    chosen = [names.hide(one) for one in chosen] if whom.anonymous else chosen
    shown = names.shown([row for row in rows if row.learner not in left_out])
    return Marks(columns, tuple(sorted(chosen, key=_by_name)), tuple(shown), tuple(left_out))


@dataclass(frozen=True)
class Names:
    """Who is shown, and as what: everybody or one section, by id or by a pseudonym."""

    course: CourseFolder
    file: CourseFile
    section: str | None = None
    anonymous: bool = False

    def shown(self, rows: list[export.Row]) -> list[export.Row]:
        """The rows of those who are, under the name that they have."""
        return [
            replace(row, learner=self.name(row.learner), note="" if self.anonymous else row.note)
            for row in self.chosen(rows)
        ]

    def chosen(self, rows: list[export.Row]) -> list[export.Row]:
        """The rows of those who are shown."""
        if self.section is None:
            return rows
        return [row for row in rows if self.file.person(row.learner).section == self.section]

    def called(self, gradebook: Gradebook) -> dict[str, str]:
        """By id, what learners are called; nothing where nobody is to be known."""
        if self.anonymous:
            return {}
        people = {
            one.id: " ".join(filter(None, (one.first_name, one.last_name)))
            for one in gradebook.students
        }
        return {learner: name for learner, name in people.items() if name}

    def name(self, learner: str) -> str:
        """The learner's id, or a pseudonym that stays the same in this course and that nobody can
        trace who has not the course's secret."""
        if not self.anonymous:
            return learner
        key = secret(Path(self.course.config.JudgeAnswers.secret_file)).encode()
        digest = hmac.new(key, f"name\n{learner}".encode(), hashlib.sha256).hexdigest()
        return f"anon-{digest[:SHOWN]}"

    def hide(self, line: Line) -> Line:
        person = Person(line.person.section)
        return replace(
            line, learner=self.name(line.learner), first="", last="", email="", person=person
        )


def _line(file: CourseFile, student: Student, rows: list[export.Row]) -> Line:
    mine = {lesson: list(found) for lesson, found in groupby(rows, attrgetter("lesson"))}
    return Line(
        student.id,
        student.first_name or "",
        student.last_name or "",
        student.email or (student.id if "@" in student.id and is_name(student.id) else ""),
        file.person(student.id),
        {lesson: _score(found) for lesson, found in mine.items() if not any(map(_open, found))},
        {lesson: _comment(found) for lesson, found in mine.items()},
    )


def _score(rows: list[export.Row]) -> float:
    penalty = max(row.late_penalty or 0.0 for row in rows)
    return round(max(0.0, sum(row.score or 0.0 for row in rows) - penalty), 4)


def _open(row: export.Row) -> bool:
    return row.score is None and row.max_score > 0


def _comment(rows: list[export.Row]) -> str:
    """In words and without anything of a hidden case."""
    late = max(row.late_penalty or 0.0 for row in rows)
    off = [f"late: {late:g} taken off"] if late else []
    return "; ".join([*map(_said, rows), *off]) + "."


def _said(row: export.Row) -> str:
    of = f"of {row.max_score:g}" if row.max_score else "extra"
    line = f", line {row.line}" if row.line else ""
    why = "" if row.status in ("passed", "") else f" ({row.status.replace('_', ' ')}{line})"
    points = "no mark" if row.score is None else f"{row.score:g}"
    return f"{row.exercise}: {points} {of}{why}"


def _by_name(line: Line) -> tuple[str, str, str]:
    return line.last.casefold(), line.first.casefold(), line.learner


def _nobody(file: CourseFile, section: str | None) -> str:
    if section is None:
        return "Nobody is in the gradebook yet: import a roster, or autograde."
    known = sorted({one.section for one in file.learners.values() if one.section})
    return f"Nobody is in section {section!r}; there are: {', '.join(known) or 'none'}."
