"""`grader check`: what there is to judge in a file, and what to say where there is nothing."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from .. import course
from ..errors import BadInput
from ..judge import Verdict, judge, verdict
from ..judge.beside import Beside, beside
from ..status import Status
from ..submissions.cells import as_typed
from ..submissions.text import read_text

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from ..submissions.intake import Answer

_LESSON_CELL = re.compile(
    r"""^\s*lesson\(\s*["']([^"'\n]+)["']\s*(,\s*partial_marks=False\s*)?\)""", re.MULTILINE
)


@dataclass(frozen=True)
class Checked:
    """One exercise of a file: its verdict, and the source as its lines are `shown` beside it;
    `problem` is a sentence about what is wrong with the file itself, empty when nothing is;
    `beside` what a kernel that passed is like beside the lesson's own, `standing` what it costs
    where there is a contest for the cheapest."""

    exercise: str
    shown: str = ""
    verdict: Verdict | None = None
    problem: str = ""
    beside: Beside | None = None
    standing: course.Standing | None = None

    @property
    def passed(self) -> bool:
        found = self.verdict
        return found is not None and found.status == Status.PASSED and not self.problem


def check(path: Path, exercise_id: str | None, root: Path) -> list[Checked]:
    """Judge the notebook at `path` as an answer to its lesson, or the .cu file there as one to
    the exercise "lesson/name". CourseError when nothing can be judged."""
    if path.suffix == ".ipynb":
        return _check_notebook(path, root)
    if exercise_id is None:
        raise BadInput(f"Say which exercise {path} answers: --exercise LESSON/NAME.")
    exercise = course.exercise(exercise_id, root)
    source = read_text(path)
    return [_set_beside(Checked(exercise.id, source, judge(exercise.id, source, root=root)), root)]


def without_ours(checked: list[Checked]) -> list[Checked]:
    """The same without the lines of our solutions."""
    return [
        replace(one, beside=replace(one.beside, changes=())) if one.beside else one
        for one in checked
    ]


def as_json(checked: list[Checked]) -> str:
    """A `verdict.Report` as JSON."""
    found = tuple(verdict.Checked(one.exercise, one.problem, one.verdict) for one in checked)
    return json.dumps(verdict.Report(found).to_dict(), indent=2)


def _check_notebook(path: Path, root: Path) -> list[Checked]:
    from ..submissions import intake

    notebook = intake.read_answers(path)
    name, partial_marks = _opened(path, notebook)
    lesson = course.lesson(name, root)
    found = intake.find(notebook, [exercise.name for exercise in lesson.exercises])
    judged = [_judged(f"{lesson.name}/{answer.name}", answer, root) for answer in found]
    if partial_marks:
        return judged
    return [replace(one, verdict=one.verdict and one.verdict.without_part()) for one in judged]


def _judged(exercise_id: str, answer: Answer, root: Path) -> Checked:
    if answer.source is None:
        return Checked(exercise_id, problem=answer.problem)
    verdict = judge(exercise_id, answer.source, root=root)
    shown = as_typed(answer.source, answer.name)
    return _set_beside(Checked(exercise_id, shown, verdict, answer.problem), root)


def _set_beside(one: Checked, root: Path) -> Checked:
    """The same beside the lesson's own kernel, if it has passed."""
    if one.verdict is None or not one.passed:
        return one
    name = one.exercise.partition("/")[2]
    lesson = course.lesson(one.exercise.partition("/")[0], root, one.verdict.compiler)
    contest = lesson.contest(name)
    return replace(
        one,
        beside=beside(one.verdict, one.shown, lesson.exercise(name)),
        standing=contest.standing(one.verdict.contest) if contest else None,
    )


def _opened(path: Path, notebook: NotebookNode) -> tuple[str, bool]:
    """The lesson that a cell opens, and whether a named fault leaves a part of the points."""
    code = (cell.source for cell in notebook.cells if cell.cell_type == "code")
    calls = [match for text in code if (match := _LESSON_CELL.search(text))]
    if not calls:
        raise BadInput(f'{path}: no cell says which lesson this is, as lesson("02_name") does.')
    return calls[0][1], calls[0][2] is None
