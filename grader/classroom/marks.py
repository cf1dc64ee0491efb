"""The class's marks as one table, a row per learner and a column per lesson: what each gradebook of
another system is made of. And who answered a contest's exercise most cheaply."""

import hashlib
import hmac
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from nbgrader.api import Gradebook, Student

from ..course import Contest, Lesson, Standing
from ..status import Status
from ..submissions.submission import is_name
from . import ClassroomError, export, verdicts
from .coursefile import CourseFile, Person
from .folder import CourseFolder, secret

SHOWN = 8  # hexadecimal digits of a pseudonym


@dataclass(frozen=True)
class LessonColumn:
    """A lesson in the table."""

    lesson: str
    title: str
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
    person: Person
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
    rows: tuple[export.ExerciseRow, ...]  # exercise by exercise
    left_out: tuple[str, ...] = ()  # who is not on the roster

    @property
    def most(self) -> float:
        return sum(column.most for column in self.columns)


@dataclass(frozen=True)
class ShownNames:
    """The learners who are shown, and as what: everybody or one section, by id or by a
    pseudonym."""

    course: CourseFolder
    file: CourseFile
    section: str | None = None
    anonymous: bool = False

    def has(self, learner: str) -> bool:
        return self.section in (None, self.file.person(learner).section)

    def shown(self, rows: Iterable[export.ExerciseRow]) -> list[export.ExerciseRow]:
        """The rows of those who are shown, under the name that they have."""
        return [
            replace(row, learner=self.name(row.learner), note="" if self.anonymous else row.note)
            for row in rows
            if self.has(row.learner)
        ]

    def called(self, gradebook: Gradebook) -> dict[str, str]:
        """By id, what learners are called; nothing where nobody is to be known."""
        if self.anonymous:
            return {}
        people = {each.id: export.full_name(each) for each in gradebook.students}
        return {learner: name for learner, name in people.items() if name}

    def name(self, learner: str) -> str:
        """The learner's id, or a pseudonym that stays the same in this course and that nobody can
        trace who has not the course's secret."""
        if not self.anonymous:
            return learner
        key = secret(Path(self.course.config.JudgeAnswers.secret_file)).encode()
        digest = hmac.new(key, f"name\n{learner}".encode(), hashlib.sha256).hexdigest()
        return f"anon-{digest[:SHOWN]}"


def read(lessons: list[Lesson], names: ShownNames, everybody: bool = False) -> MarksTable:
    """The marks of those of the lessons that were released, `everybody`: also of those who are not
    on the roster. ClassroomError when there is nothing."""
    course, file, section = names.course, names.file, names.section
    with course.gradebook() as gradebook:
        most = {each.name: each.max_score for each in gradebook.assignments}
        columns = tuple(
            LessonColumn(each.name, each.title, most[each.name], file.plan(each.name).columns)
            for each in lessons
            if each.name in most
        )
        if not columns:
            raise ClassroomError("No lesson was released yet: run `grader release LESSON`.")
        rows = [row for each in columns for row in export.rows(course, gradebook, each.lesson)]
        scored = defaultdict(list)
        for row in rows:
            if row.status != export.NOT_HANDED_IN:
                scored[row.learner].append(row)
        left_out = [] if everybody else file.off_roster([each.id for each in gradebook.students])
        lines = [
            _line(names, each, scored[each.id])
            for each in gradebook.students
            if names.has(each.id) and each.id not in left_out
        ]
    if not lines and section is None:
        raise ClassroomError("Nobody is in the gradebook yet: import a roster, or autograde.")
    if not lines:
        known = sorted({each.section for each in file.learners.values() if each.section})
        raise ClassroomError(
            f"Nobody is in section {section!r}; there are: {', '.join(known) or 'none'}."
        )
    lines.sort(key=lambda line: (line.last.casefold(), line.first.casefold(), line.learner))
    shown = names.shown(row for row in rows if row.learner not in left_out)
    return MarksTable(columns, tuple(lines), tuple(shown), tuple(left_out))


def _line(names: ShownNames, student: Student, rows: list[export.ExerciseRow]) -> LearnerLine:
    scores, comments = {}, {}
    for lesson, found in groupby(rows, attrgetter("lesson")):
        mine = list(found)
        if (total := export.total(mine)) is not None:
            scores[lesson] = round(total, 4)
        late = mine[0].late_penalty
        off = [f"late: {late:g} taken off"] if late else []
        comments[lesson] = "; ".join([*map(_comment, mine), *off]) + "."
    person = names.file.person(student.id)
    if names.anonymous:
        return LearnerLine(
            names.name(student.id), "", "", "", Person(person.section), scores, comments
        )
    email = student.email or (student.id if "@" in student.id and is_name(student.id) else "")
    first, last = student.first_name or "", student.last_name or ""
    return LearnerLine(student.id, first, last, email, person, scores, comments)


def _comment(row: export.ExerciseRow) -> str:
    """The marks for an exercise in words, and without anything of a hidden case."""
    of = f"of {row.max_score:g}" if row.max_score else "extra"
    line = f", line {row.line}" if row.line else ""
    why = "" if row.status in ("passed", "") else f" ({row.status.replace('_', ' ')}{line})"
    points = "no mark" if row.score is None else f"{row.score:g}"
    return f"{row.exercise}: {points} {of}{why}"


@dataclass(frozen=True)
class LeaderboardPlace:
    """A learner in a contest."""

    number: int  # counts from 1; who stand alike share one
    name: str  # as the learner is shown
    standing: Standing


def leaderboard(
    course: CourseFolder, lesson: Lesson, contest: Contest, names: ShownNames
) -> list[LeaderboardPlace]:
    """Everybody among those whom `names` gives whose answer passed, by a judge that counted for
    contests; the cheapest first. ClassroomError when nobody is graded yet."""
    from ..judge import Verdict

    learners = course.learners("autograded", lesson.name)
    if not learners:
        raise ClassroomError(f"Nothing is graded yet: run `grader autograde {lesson.name}`.")
    with course.gradebook() as gradebook:
        called = names.called(gradebook)
    standings = []
    for learner in filter(names.has, learners):
        kept = verdicts.read_if_any(course.path("autograded", lesson.name, learner))
        if contest.exercise in kept:
            verdict = Verdict.from_dict(kept[contest.exercise]["verdict"])
            if verdict.status == Status.PASSED and verdict.contest:
                name = called.get(learner, names.name(learner))
                standings.append((contest.standing(verdict.contest), name))
    standings.sort()
    order = [standing for standing, _ in standings]
    return [LeaderboardPlace(order.index(each) + 1, name, each) for each, name in standings]
