"""A lesson for the front of a class: its solved notebook with every output, and after it what goes
wrong, mistake by mistake, with the judge's diagnosis; as a notebook and as slides."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, CellExecutionError
from nbformat import NotebookNode, v4
from nbformat.sign import NotebookNotary

from ..course import Lesson
from ..course.kinds import unmarked
from ..course.mistakes import WrongKernel
from ..course.weave import CUDA, cell_id, learners_cell, text, weave
from ..course_folder import CHOICE
from ..errors import AuthorError
from ..judge import Verdict
from ..notebook import verdict_card
from ..submissions.cells import cuda_source
from . import speaker
from .slides import slides

PATIENCE = 120  # seconds a cell may take

_WHAT_GOES_WRONG = """\
## What goes wrong: {title}

{count} typical mistakes in `{name}`: what each changes in the solution, and what learners are told.
In the notebook you can run and change them; hidden cases count here, and not when you do."""


@dataclass(frozen=True)
class Mistake:
    """A typical mistake, and the judge's verdict on it as its learner reads it."""

    wrong: WrongKernel
    verdict: Verdict

    @property
    def cell(self) -> str:
        return learners_cell(self.wrong.exercise, self.wrong.source)

    @property
    def source(self) -> str:
        """As it was judged: of its cell, by whose lines the verdict goes."""
        return cuda_source(self.cell)

    @property
    def title(self) -> str:
        """The mistake in words; with a capital, unless `x` or `gridDim` comes first."""
        said = self.wrong.mistake
        word = re.match(r"(a|[a-z'-]{2,})\b(?![A-Z(])", said)
        return said[:1].upper() + said[1:] if word else said


@dataclass(frozen=True)
class Presentation:
    """Where a lesson's notebook and its slides lie, and the mistakes they show, exercise by
    exercise."""

    notebook: Path
    slides: Path
    mistakes: tuple[Mistake, ...]


def write(lesson: Lesson, mistakes: Iterable[Mistake], folder: Path) -> Presentation:
    """Run the solved lesson and write its presentation into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    order = [exercise.name for exercise in lesson.exercises]
    mistakes = tuple(sorted(mistakes, key=lambda one: order.index(one.wrong.exercise)))
    notebook = solved(lesson, folder)
    notebook.cells += _what_goes_wrong(lesson, mistakes)
    notebook.cells[0].source = speaker.title_page(lesson, len(mistakes))
    made = Presentation(
        folder / f"{lesson.name}.ipynb", folder / f"{lesson.name}.slides.html", mistakes
    )
    made.notebook.write_text(text(notebook), encoding="utf-8")
    NotebookNotary().sign(notebook)  # else JupyterLab would hide its outputs' HTML
    speaker.annotate(notebook, lesson, {_diff_id(lesson, one): one for one in mistakes})
    made.slides.write_text(slides(notebook, lesson.title), encoding="utf-8")
    return made


def changes(lesson: Lesson, mistake: Mistake) -> list[str]:
    """What the mistake changes in the solution, comments aside, as the lines of a diff."""
    solution = lesson.solution(lesson.exercise(mistake.wrong.exercise))
    lines = difflib.unified_diff(_code(solution), _code(mistake.source), n=3, lineterm="")
    return ["⋮" if line.startswith("@@") else line for line in list(lines)[3:]]


def solved(lesson: Lesson, folder: Path) -> NotebookNode:
    """The woven notebook, executed in `folder`; AuthorError when a cell cannot be."""
    notebook = weave(lesson)
    title, set_up = notebook.cells[:2]
    title.source = f"# {lesson.title}"
    set_up.metadata.slideshow = {"slide_type": "skip"}
    for cell in notebook.cells:
        cell.source = unmarked(cell.source)
    resources = {"metadata": {"path": str(folder)}}
    quiet: dict[str, Any] = {"extra_arguments": ["--log-level=ERROR"]}
    try:
        client = NotebookClient(notebook, timeout=PATIENCE, resources=resources, **quiet)
        client.execute(env={**os.environ, CHOICE: str(lesson.path.parents[1])})
    except (CellControlSignal, RuntimeError) as error:  # a cell's exception, time-out, dead kernel
        raise AuthorError(
            f"A cell of kernels/{lesson.name}/lesson.md cannot be run ({_why(error)})."
        ) from error
    _leave_out_widgets(notebook)
    return notebook


def _why(error: Exception) -> str:
    """What a cell raised, or what became of its kernel."""
    if isinstance(error, CellExecutionError):
        return f"{error.ename}: {error.evalue}"[:200]
    return str(error).splitlines()[0][:200]


def _leave_out_widgets(notebook: NotebookNode) -> None:
    """Buttons without a kernel are but broken links; the question is there as text, and running
    its cell brings them back."""
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            for kind in [kind for kind in output.get("data", ()) if "widget" in kind]:
                del output.data[kind]
        if "outputs" in cell:  # one that was but buttons is none
            cell.outputs = [one for one in cell.outputs if one.get("data") != {}]


def _what_goes_wrong(lesson: Lesson, mistakes: tuple[Mistake, ...]) -> Iterator[NotebookNode]:
    for exercise in lesson.exercises:
        its = [mistake for mistake in mistakes if mistake.wrong.exercise == exercise.name]
        if its:
            heading = _WHAT_GOES_WRONG.format(
                title=exercise.title, count=len(its), name=exercise.name
            )
            yield v4.new_markdown_cell(heading, id=cell_id(lesson.name, heading))
        for mistake in its:
            yield from _mistake(lesson, mistake)


def _mistake(lesson: Lesson, mistake: Mistake) -> Iterator[NotebookNode]:
    """The mistake and what it changes; folded, the kernel to run; and the verdict on it."""
    name, stem = mistake.wrong.exercise, mistake.wrong.name
    diff = "\n".join(["```diff", *changes(lesson, mistake), "```"])
    folded = {"jupyter": {"source_hidden": True}}
    yield v4.new_markdown_cell(f"### {mistake.title}\n\n{diff}", id=_diff_id(lesson, mistake))
    yield v4.new_code_cell(
        mistake.cell,
        id=cell_id(lesson.name, f"%{stem}"),
        metadata={**CUDA, **folded, "slideshow": {"slide_type": "skip"}},
    )
    card = verdict_card.page(mistake.verdict, mistake.source, lesson.exercise(name))
    data, metadata = card._repr_mimebundle_()
    yield v4.new_code_cell(
        f'check("{name}")',
        id=cell_id(lesson.name, f"?{stem}"),
        metadata=folded,
        outputs=[v4.new_output("display_data", data, metadata=metadata)],
    )


def _diff_id(lesson: Lesson, mistake: Mistake) -> str:
    """Of the cell that shows what a mistake changes."""
    return cell_id(lesson.name, f"-{mistake.wrong.name}")


def _code(source: str) -> list[str]:
    lines = (line.split("//")[0].rstrip() for line in source.splitlines())
    return [line for line in lines if line]
