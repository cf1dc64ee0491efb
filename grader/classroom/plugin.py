"""The two preprocessors through which nbgrader's autograde step judges a notebook.

`TakeAnswers` comes first of all: it leaves one solution cell and one check cell for each exercise,
as they were released but for the learner's answer, so that nothing done to a notebook can upset
the steps that follow, or whoever looks at it (see `sanitize_html`). `JudgeAnswers` fills the check
cells, as executing the notebook would: no Python of a learner's ever runs. nbgrader_config.py puts
both in their places, in one list, as only steps of one list share their `resources`.

formgrader's button has nbgrader make them, and they judge what they meet; `grader autograde`
makes them itself, with a `Marking` for each submission (see `steps`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, v4
from nbgrader.api import Gradebook, Notebook
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Unicode
from traitlets.config import Config

from .. import course
from ..course.weave import CHECK, CUDA, cell_id, graded
from ..judge import Verdict, judge
from ..status import Status
from ..submissions import intake
from . import verdicts
from .sanitize_html import sanitize
from .secret import seed

ANSWERS = "warpwise"  # in nbconvert's resources: what TakeAnswers found, by exercise

Pair = tuple[NotebookNode, NotebookNode]
Resources = dict[str, Any]  # nbconvert's, which each step may add to


@dataclass(frozen=True)
class Marking:
    """How one submission is marked. `verdict` is that on an exercise (LESSON/NAME) and a source;
    `unreadable` says why there is nothing to grade, empty when there is; `remark` what else is
    wrong, and costs no points; `others` are the notebooks that lie beside this one."""

    verdict: Callable[[str, str], Verdict]
    unreadable: str = ""
    remark: str = ""
    others: tuple[str, ...] = ()


def steps(marking: Marking, config: Config) -> list[object]:
    """nbgrader's first list of preprocessors, as `config` has it, with ours made for `marking`."""
    ours = {f"{one.__module__}.{one.__name__}": one for one in (TakeAnswers, JudgeAnswers)}
    named = config.Autograde.sanitize_preprocessors
    return [ours[name](marking, config=config) if name in ours else name for name in named]


class TakeAnswers(NbGraderPreprocessor):
    """Put the learner's answers into the cells that were released, and tell what was wrong."""

    def __init__(self, marking: Marking | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._unreadable = marking.unreadable if marking else ""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        pairs = _released_pairs(resources["nbgrader"])
        answers = intake.find(nb, pairs)
        nb.cells = list(_rebuilt(nb.cells, answers, pairs))
        sanitize(nb)
        if self._unreadable:
            answers = tuple(intake.Answer(name, unreadable=True) for name in pairs)
        resources[ANSWERS] = {answer.name: answer for answer in answers}
        return nb, resources


class JudgeAnswers(NbGraderPreprocessor):
    """Judge each solution cell's text; the check cell gets the points and the verdict to show."""

    secret_file = Unicode(help="Where the secret lies from which hidden cases are drawn.").tag(
        config=True
    )
    kernels = Unicode(str(course.KERNELS), help="The folder with the lessons.").tag(config=True)

    def __init__(self, marking: Marking | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._marking = marking or Marking(self._verdict)

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        lesson = resources["nbgrader"]["assignment"]
        answers: dict[str, intake.Answer] = resources[ANSWERS]
        found = {}
        for cell in nb.cells:
            name = intake.grade_id(cell).removeprefix(CHECK)
            if intake.grade_id(cell) == CHECK + name:
                found[name] = self._grade(f"{lesson}/{name}", answers[name], cell)
        resources["outputs"] = {verdicts.FILE: verdicts.packed(found)}
        return nb, resources

    def _grade(self, exercise_id: str, answer: intake.Answer, check: NotebookNode) -> verdicts.Kept:
        """Fill the check cell's output, and return what is kept of the verdict."""
        marking, most = self._marking, float(check.metadata.nbgrader["points"])
        problem = marking.unreadable or answer.problem or marking.remark
        exercise = course.exercise(exercise_id, Path(self.kernels))
        status = Status.UNREADABLE if answer.unreadable else Status.NOT_ATTEMPTED
        verdict, page = Verdict(exercise_id, 0.0, exercise.points, status, problem), ""
        if answer.source is not None:
            verdict = marking.verdict(exercise_id, answer.source)
            page = verdicts.page(verdict, answer.source, exercise)
        if marking.others and verdict.status == Status.NOT_ATTEMPTED:
            problem = problem or _elsewhere(marking.others, exercise_id.partition("/")[0])
        page = verdicts.notice(problem) + page
        data = {"text/plain": repr(verdicts.score(verdict, most)), "text/html": page}
        check.outputs = [v4.new_output("execute_result", data=data)]
        return {"problem": problem, "verdict": verdict.to_dict()}

    def _verdict(self, exercise_id: str, source: str) -> Verdict:
        official = seed(Path(self.secret_file), exercise_id)
        return judge(exercise_id, source, seed=official, root=Path(self.kernels))


def _elsewhere(others: tuple[str, ...], lesson: str) -> str:
    return (
        f"{lesson}.ipynb has cells as they were handed out, and beside it lies "
        f"{', '.join(others)}, which is not graded: hand in the one with the work as "
        f"{lesson}.ipynb."
    )


def _released_pairs(where: Resources) -> dict[str, Pair]:
    """The solution cell and the check cell of each exercise, as the gradebook has them."""
    with Gradebook(where["db_url"]) as gradebook:
        released = gradebook.find_notebook(where["notebook"], where["assignment"])
        names = sorted(cell.name for cell in released.solution_cells)
        return {name: _released_pair(released, where["assignment"], name) for name in names}


def _released_pair(released: Notebook, lesson: str, name: str) -> Pair:
    sources = {cell.name: cell.source for cell in released.source_cells}
    points = {cell.name: cell.max_score for cell in released.grade_cells}
    check = CHECK + name
    return (
        v4.new_code_cell(
            sources[name],
            id=cell_id(lesson, name),
            metadata={**CUDA, **graded(name, solution=True)},
        ),
        v4.new_code_cell(
            sources[check],
            id=cell_id(lesson, check),
            metadata=graded(check, grade=True, locked=True, points=points[check]),
        ),
    )


def _rebuilt(
    cells: list[NotebookNode], answers: tuple[intake.Answer, ...], pairs: dict[str, Pair]
) -> Iterator[NotebookNode]:
    """The learner's cells, each answer in its released cell with its check cell after it."""
    answer_at = {answer.cell: answer for answer in answers if answer.cell is not None}
    old_checks = {CHECK + name for name in pairs} | {check.id for _, check in pairs.values()}
    for index, cell in enumerate(cells):
        if index in answer_at:
            solution, check = pairs[answer_at[index].name]
            solution.source, solution.id = cell.source, cell.get("id", solution.id)
            yield from (solution, check)
        elif old_checks.isdisjoint({intake.grade_id(cell), cell.get("id")}):
            cell.metadata.pop("nbgrader", None)
            yield cell
    for answer in answers:
        if answer.cell is None:
            yield from pairs[answer.name]
