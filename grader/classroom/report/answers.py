"""A class's answers to a lesson as the report needs them: marks, verdicts, and source texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
from nbgrader.api import MissingEntry

from ...course import Lesson
from ...cuda.diagnostics import Diagnostic
from ...judge import Verdict
from ...judge.partial import said
from ...submissions.cells import cuda_source
from .. import ClassroomError, graded, off_roster, verdicts
from ..coursefile import CourseFile
from ..export import NOT_HANDED_IN, Row, rows
from ..folder import CourseFolder
from ..marks import Names


@dataclass(frozen=True)
class GradedAnswer:
    """One learner's answer to one exercise: the gradebook's row, the verdict's sentence, the
    source, what is wrong with the notebook or the mark (empty when nothing is), the compiler's
    errors, and how the points came about that one named fault leaves."""

    row: Row
    message: str
    source: str
    problem: str
    diagnostics: tuple[Diagnostic, ...] = ()
    part: str = ""


@dataclass(frozen=True)
class Class:
    """Everybody's answers, by exercise in the lesson's order; who handed in nothing; the CUDA that
    was handed out, skeletons and the lesson's own kernels; and, where they may be shown, what
    learners are called, and of whom the roster knows nothing. `others`: by learner, the CUDA of
    the cells that answer no exercise."""

    lesson: Lesson
    answers: dict[str, list[GradedAnswer]]
    absent: tuple[str, ...]
    handed_out: tuple[str, ...]
    called: Mapping[str, str] = field(default_factory=dict)
    anonymous: bool = False
    strangers: tuple[str, ...] = ()
    others: Mapping[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> list[Row]:
        return [answer.row for answers in self.answers.values() for answer in answers]


def read(course: CourseFolder, lesson: Lesson, names: Names | None = None) -> Class:
    """What there is in the gradebook and in autograded/, of those and under the names that `names`
    gives; by default of everybody."""
    names = names or Names(course, CourseFile())
    try:
        with course.gradebook() as gradebook:
            found = names.chosen(rows(course, gradebook, lesson.name))
            called = names.called(gradebook)
            shown = () if names.anonymous else {row.learner for row in found}
            strangers = off_roster.sentences(names.file, gradebook, shown)
    except MissingEntry as error:
        raise ClassroomError(
            f"{lesson.name} was never released: run `grader release {lesson.name}`."
        ) from error
    absent = {row.learner for row in found if row.status == NOT_HANDED_IN}
    answers: dict[str, list[GradedAnswer]] = {exercise.name: [] for exercise in lesson.exercises}
    by_learner: dict[str, list[Row]] = {}
    for row in found:
        if row.learner not in absent and row.exercise in answers:
            by_learner.setdefault(row.learner, []).append(row)
    others = {}
    for learner, mine in by_learner.items():
        cells = _cells(course.notebook("autograded", lesson.name, learner))
        others[names.name(learner)] = "\n".join(source for name, source in cells if not name)
        for answer in _answers(course, lesson.name, learner, mine):
            answers[answer.row.exercise].append(_shown(answer, names))
    handed_out = tuple(source for _, source in _cells(course.notebook("release", lesson.name)))
    missing = tuple(sorted(map(names.name, absent)))
    return Class(lesson, answers, missing, handed_out, called, names.anonymous, tuple(strangers))


def _shown(answer: GradedAnswer, names: Names) -> GradedAnswer:
    (row,) = names.shown([answer.row])
    return replace(answer, row=row, problem=row.note)


def _answers(
    course: CourseFolder, lesson: str, learner: str, mine: list[Row]
) -> Iterator[GradedAnswer]:
    path = course.notebook("autograded", lesson, learner)
    sources = {name: source for name, source in _cells(path) if name}
    try:
        kept = verdicts.read(path.parent)
    except FileNotFoundError:  # marked by hand alone
        kept = {}
    for row in mine:
        verdict = kept.get(row.exercise, {"verdict": {}})["verdict"]
        told = msgspec.convert(verdict.get("diagnostics", ()), tuple[Diagnostic, ...])
        source = sources.get(row.exercise, "")
        part = said(Verdict.from_dict(verdict)) if verdict.get("partial") else ""
        yield GradedAnswer(row, verdict.get("message", ""), source, row.note, told, part)


def _cells(notebook: Path) -> Iterator[tuple[str, str]]:
    """The grade_id, empty if there is none, and the text of each CUDA cell."""
    if not notebook.is_file():
        return
    for cell in graded.cells(notebook):
        source = "".join(cell["source"])
        mark = cell["metadata"].get("nbgrader", {})
        if mark.get("solution") or source.startswith("%%cuda"):
            yield mark.get("grade_id", ""), cuda_source(source)
