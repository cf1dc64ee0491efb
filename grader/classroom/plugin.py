"""The two preprocessors through which nbgrader's autograde step judges a notebook.

`TakeAnswers` comes first of all: it leaves one solution cell and one check cell for each exercise,
as they were released but for the learner's answer, so that nothing done to a notebook can upset
the steps that follow, or whoever looks at it (see `sanitize_html`). `JudgeAnswers` fills the check
cells, as executing the notebook would: no Python of a learner's ever runs. nbgrader_config.py puts
both in their places, in one list, as only steps of one list share their `resources`.

formgrader's button has nbgrader make them, and they judge what they meet; `grader autograde` goes
the same two steps by `take` and `fill`, with a `Marking` for each submission (see `entering`).

A verdict's card is made with inline styles, as that is what every editor leaves in a learner's
notebook. Of its HTML they are four fifths, for most of them stand there many times. In what is kept
for a class each becomes a rule with a name made of what it says: so the rules of many cards can be
put together on one page, and no two cards get into each other's way.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any
from zlib import crc32

from nbformat import NotebookNode, v4
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool, Unicode

from .. import course
from ..course import variants
from ..course.weave import CHECK, CUDA, cell_id, grade_id, graded
from ..judge import Verdict, judge
from ..judge.sandbox import landlock
from ..status import Status
from ..submissions import intake
from . import coursefile, handing_out, verdicts
from .folder import CourseFolder, seed
from .sanitize_html import sanitize

ANSWERS = "warpwise"  # in nbconvert's resources: what TakeAnswers found, by exercise

_RULES = re.compile(r"<style>([^<]*)</style>")

Pair = tuple[NotebookNode, NotebookNode]
Answers = dict[str, intake.Answer]  # by exercise
Resources = dict[str, Any]  # nbconvert's, which each step may add to


Judging = Callable[[str, str], Verdict]  # on an exercise (LESSON/NAME) and a source


@dataclass(frozen=True)
class Marking:
    """All that a submission's marks depend on beside verdicts."""

    # The exercises for whose same answers feedback has shown points, and these.
    floors: tuple[tuple[str, float], ...] = ()
    unreadable: str = ""  # why there is nothing to grade; empty when there is
    remark: str = ""  # what else is wrong, and costs no points
    others: tuple[str, ...] = ()  # the notebooks that lie beside this one
    # The learner's variants, as `handing_out.drawn` has them.
    drawn: tuple[tuple[str, str], ...] = ()


class TakeAnswers(NbGraderPreprocessor):
    """Put the learner's answers into the cells that were released, and tell what was wrong."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        where = resources["nbgrader"]
        with Gradebook(where["db_url"]) as gradebook:
            resources[ANSWERS] = take(nb, released_pairs(gradebook, where["assignment"]))
        return nb, resources


class JudgeAnswers(NbGraderPreprocessor):
    """Judge each solution cell's text; the check cell gets the points and the verdict to show."""

    secret_file = Unicode(help="Where the secret lies from which hidden cases are drawn.").tag(
        config=True
    )
    kernels = Unicode(str(course.KERNELS), help="The folder with the lessons.").tag(config=True)
    unsafe = Bool(help="Judge also where nothing keeps the compiler from files.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        where, answers = resources["nbgrader"], resources[ANSWERS]
        lesson = course.lesson(where["assignment"], Path(self.kernels))
        here = CourseFolder(self.config)
        drawn = handing_out.drawn(here, coursefile.read(here), lesson.name, where["student"])
        floors = verdicts.floors(here, lesson.name, where["student"], answers.values())
        kept = fill(
            nb,
            lesson,
            answers,
            partial(self._verdict, variants.owned(lesson, dict(drawn))),
            Marking(floors, drawn=drawn),
        )
        resources["outputs"] = {verdicts.FILE: verdicts.packed(kept)}
        return nb, resources

    def _verdict(self, lesson: course.Lesson, exercise_id: str, source: str) -> Verdict:
        if not self.unsafe:
            landlock.require()
        return judge(
            variants.asked(lesson.exercise(exercise_id.partition("/")[2])),
            source,
            seed=seed(Path(self.secret_file), exercise_id),
            root=Path(self.kernels),
            steps=True,
        )


def take(notebook: NotebookNode, pairs: dict[str, Pair], unreadable: str = "") -> Answers:
    """Rebuild the notebook from what was released and the learner's answers, which are returned by
    exercise. The cells of `pairs` become the notebook's."""
    answers = intake.find(notebook, pairs)
    notebook.cells = list(_rebuilt(notebook.cells, answers, pairs))
    sanitize(notebook)
    return (
        {name: intake.Answer(name, unreadable=True) for name in pairs}
        if unreadable
        else {answer.name: answer for answer in answers}
    )


def fill(
    notebook: NotebookNode,
    lesson: course.Lesson,
    answers: Answers,
    judging: Judging,
    marking: Marking,
) -> dict[str, verdicts.KeptVerdict]:
    """Put a score and a page into each check cell; what is kept of the verdicts, by exercise."""
    return {
        name: _grade(lesson, answers[name], cell, judging, marking)
        for name, cell in intake.checks(notebook.cells).items()
    }


def _grade(
    lesson: course.Lesson,
    answer: intake.Answer,
    check: NotebookNode,
    judging: Judging,
    marking: Marking,
) -> verdicts.KeptVerdict:
    """Fill the check cell's output, and return what is kept of the verdict."""
    from ..notebook import cards, verdict_card  # here, as its pictures take long to import

    exercise, most = (
        variants.own(lesson.exercise(answer.name), dict(marking.drawn)),
        float(check.metadata.nbgrader["points"]),
    )
    problem = marking.unreadable or answer.problem or marking.remark
    status = Status.UNREADABLE if answer.unreadable else Status.NOT_ATTEMPTED
    verdict, page = Verdict(exercise.id, 0.0, exercise.points, status, problem), ""
    if answer.source is not None:
        verdict = judging(exercise.id, answer.source)
        # Visible cases in full, hidden ones by their category alone. Neither our solution nor the
        # name of the one fault, as others may still hand in: feedback shows both later.
        page = verdict_card.page(
            verdict.for_learner().unnamed(), answer.source, exercise, ours=False
        ).html
    if marking.others and verdict.status == Status.NOT_ATTEMPTED and not problem:
        problem = (
            f"{lesson.name}.ipynb has cells as they were handed out, and beside it lies "
            f"{', '.join(marking.others)}, which is not graded: hand in the one with the work as "
            f"{lesson.name}.ipynb."
        )
    kept: verdicts.KeptVerdict = {"problem": problem, "verdict": verdict.to_dict()}
    floor = min(dict(marking.floors).get(answer.name, 0.0), float(exercise.points))
    if floor > (verdicts.points(kept) or 0.0):
        kept["keeps"] = floor
    points = verdicts.points(kept)
    check.outputs = [
        v4.new_output(
            "execute_result",
            data={
                "text/plain": repr(verdicts.score(points or 0.0, most)),
                "text/html": shared((cards.notice(problem).html if problem else "") + page),
            },
            metadata={verdicts.NO_MARK: True} if points is None else {},
        )
    ]
    return kept


def released_pairs(gradebook: Gradebook, lesson: str) -> dict[str, Pair]:
    """The solution cell and the check cell of each exercise, as the gradebook has them."""
    released = gradebook.find_notebook(lesson, lesson)
    sources = {cell.name: cell.source for cell in released.source_cells}
    points = {cell.name: cell.max_score for cell in released.grade_cells}

    def released_cell(name: str, **marks: object) -> NotebookNode:
        return NotebookNode(
            v4.new_code_cell(sources[name], id=cell_id(lesson, name), metadata=marks)
        )

    return {
        name: (
            released_cell(name, **CUDA, **graded(name, solution=True)),
            released_cell(check, **graded(check, grade=True, locked=True, points=points[check])),
        )
        for name in sorted(cell.name for cell in released.solution_cells)
        for check in [CHECK + name]
    }


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
        elif old_checks.isdisjoint({grade_id(cell), cell.get("id")}):
            cell.metadata.pop("nbgrader", None)
            yield cell
    yield from (cell for answer in answers if answer.cell is None for cell in pairs[answer.name])


# --- cards ---------------------------------------------------------------------------------------


def shared(html: str) -> str:
    """The same card: first its rules, then what they are about. What it holds of a learner's must
    be escaped, as it is in every card."""
    rules: dict[str, None] = {}

    def named(style: re.Match[str]) -> str:
        says = unescape(style[1])
        name = f"w{crc32(says.encode()):08x}"
        # Three times the name, so that what a page says of every `td` or `pre` does not go before.
        rules[f"{f'.{name}' * 3}{{{says}}}"] = None
        return f' class="{name}"'

    def tag(found: re.Match[str]) -> str:
        return found[0] if " class=" in found[0] else re.sub(r' style="([^"]*)"', named, found[0])

    body = re.sub("<[a-z][^<>]*>", tag, html)  # which fills `rules`
    return "<style>{}</style>{}".format("\n".join(rules), body) if rules else html


def apart(html: str) -> tuple[tuple[str, ...], str]:
    """The rules that `shared` has put in front, and what they are about."""
    return (
        tuple(rule for sheet in _RULES.findall(html) for rule in sheet.split("\n")),
        _RULES.sub("", html),
    )
