"""The two preprocessors through which nbgrader's autograde step judges a notebook.

`TakeAnswers` comes first of all: it leaves one solution cell and one check cell for each exercise,
as they were released but for the learner's answer, so that nothing done to a notebook can upset
the steps that follow, or whoever looks at it (see `sanitize_html`). `JudgeAnswers` stands where
nbgrader would execute the notebook: no Python of a learner's ever runs. nbgrader_config.py puts
both in their places.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import traitlets
from nbformat import NotebookNode, v4
from nbgrader.api import Gradebook, Notebook
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Float, List, Unicode

from .. import course
from ..course.weave import CHECK, CUDA, cell_id, graded
from ..judge import Verdict, judge
from ..status import Status
from ..submissions import intake
from ..submissions.cells import cuda_source
from . import verdicts
from .sanitize_html import sanitize
from .secret import seed

NOTE = "warpwise"  # metadata of a check cell: what TakeAnswers has to tell JudgeAnswers

Pair = tuple[NotebookNode, NotebookNode]
Resources = dict[str, Any]  # nbconvert's, which each step may add to


class TakeAnswers(NbGraderPreprocessor):
    """Put the learner's answers into the cells that were released, and note what was wrong."""

    unreadable = Unicode(
        "", help="Why there is nothing to grade in this submission; empty when there is."
    ).tag(config=True)
    remark = Unicode("", help="What else is wrong with it, and costs no points.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        pairs = _released_pairs(resources["nbgrader"])
        answers = intake.find(nb, pairs)
        for answer in answers:
            judged = answer.source is not None and not self.unreadable
            problem = self.unreadable or answer.problem or self.remark
            unreadable = bool(self.unreadable) or answer.unreadable
            note = {"problem": problem, "judged": judged, "unreadable": unreadable}
            pairs[answer.name][1].metadata[NOTE] = note
        nb.cells = list(_rebuilt(nb.cells, answers, pairs))
        sanitize(nb)
        return nb, resources


class JudgeAnswers(NbGraderPreprocessor):
    """Judge each solution cell's text; the check cell gets the points and the verdict to show."""

    secret_file = Unicode(help="Where the secret lies from which hidden cases are drawn.").tag(
        config=True
    )
    kernels = Unicode(str(course.KERNELS), help="The folder with the lessons.").tag(config=True)
    judge = traitlets.Any(
        judge, help="grader.judge.judge, or one that remembers its verdicts."
    ).tag(config=True)
    fingerprint = Unicode("", help="What the marks hang on; see grader.classroom.batch.").tag(
        config=True
    )
    had = Float(0.0, help="The points before, where this notebook cannot be read.").tag(config=True)
    others: List[str] = List(help="Names of notebooks that lie beside this one.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        lesson = resources["nbgrader"]["assignment"]
        sources = {intake.grade_id(cell): cuda_source(cell.source) for cell in nb.cells}
        found = {}
        for cell in nb.cells:
            name = intake.grade_id(cell).removeprefix(CHECK)
            if intake.grade_id(cell) == CHECK + name:
                found[name] = self._grade(f"{lesson}/{name}", sources[name], cell)
        kept = verdicts.packed(found, self.fingerprint, self.had)
        resources["outputs"] = {verdicts.FILE: kept}
        return nb, resources

    def _grade(self, exercise_id: str, source: str, check: NotebookNode) -> verdicts.Kept:
        """Fill the check cell's output, and return what is kept of the verdict."""
        note, most = check.metadata.pop(NOTE), float(check.metadata.nbgrader["points"])
        problem, root = note["problem"], Path(self.kernels)
        exercise = course.exercise(exercise_id, root)
        status = Status.UNREADABLE if note["unreadable"] else Status.NOT_ATTEMPTED
        verdict, page = Verdict(exercise_id, 0.0, exercise.points, status, problem), ""
        if note["judged"]:
            official = seed(Path(self.secret_file), exercise_id)
            verdict = self.judge(exercise_id, source, seed=official, root=root)
            page = verdicts.page(verdict, source, exercise)
        if self.others and verdict.status == Status.NOT_ATTEMPTED:
            problem = problem or _elsewhere(self.others, exercise_id.partition("/")[0])
        page = verdicts.notice(problem) + page
        data = {"text/plain": repr(verdicts.score(verdict, most)), "text/html": page}
        check.outputs = [v4.new_output("execute_result", data=data)]
        return {"problem": problem, "verdict": verdict.to_dict()}


def _elsewhere(others: list[str], lesson: str) -> str:
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
