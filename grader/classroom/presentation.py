"""A lesson for the front of a class: its solved notebook with every output, and after it what goes
wrong, mistake by mistake, with the judge's diagnosis; as a notebook and as slides."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nbclient import NotebookClient
from nbconvert import SlidesExporter
from nbformat import NotebookNode, v4

from ..course import Exercise, Lesson, WrongKernel
from ..judge import Verdict
from ..notebook import verdict_card
from ..weave import text, weave

PATIENCE = 120  # seconds a cell may take


@dataclass(frozen=True)
class Presentation:
    """Where a lesson's notebook and its slides lie."""

    notebook: Path
    slides: Path


def write(lesson: Lesson, mistakes: Iterable[tuple[WrongKernel, Verdict]], folder: Path):
    """Run the solved lesson and write its presentation into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    notebook = weave(lesson)
    notebook.cells += _what_goes_wrong(lesson, mistakes)
    NotebookClient(notebook, timeout=PATIENCE, resources=_in(folder)).execute()
    for cell in notebook.cells:
        cell.metadata.slideshow = {"slide_type": _slide_type(cell)}
    made = Presentation(folder / f"{lesson.name}.ipynb", folder / f"{lesson.name}.slides.html")
    made.notebook.write_text(text(notebook))
    page, _ = SlidesExporter(reveal_scroll=True).from_notebook_node(notebook)
    made.slides.write_text(page)
    return made


def _in(folder: Path) -> dict:
    return {"metadata": {"path": str(folder)}}


def _slide_type(cell: NotebookNode) -> str:
    """A heading begins a slide, code a slide below it."""
    if cell.cell_type == "markdown":
        return "slide" if cell.source.startswith(("# ", "## ")) else "subslide"
    return "subslide" if cell.source.startswith("%%cuda") else "fragment"


def _what_goes_wrong(
    lesson: Lesson, mistakes: Iterable[tuple[WrongKernel, Verdict]]
) -> Iterator[NotebookNode]:
    exercise = None
    for wrong, verdict in sorted(mistakes, key=lambda one: one[0].exercise):
        if exercise is None or exercise.name != wrong.exercise:
            exercise = lesson.exercise(wrong.exercise)
            yield v4.new_markdown_cell(f"## What goes wrong: {exercise.title}")
        yield v4.new_markdown_cell(f"### {_capital(wrong.mistake)}\n\n{_changes(lesson, wrong)}")
        yield _diagnosis(wrong, verdict, exercise)


def _diagnosis(wrong: WrongKernel, verdict: Verdict, exercise: Exercise) -> NotebookNode:
    """The judge's card in Markdown, which shows HTML as it is and has no code to run."""
    return v4.new_markdown_cell(verdict_card.page(verdict, wrong.path.read_text(), exercise).html)


def _changes(lesson: Lesson, wrong: WrongKernel) -> str:
    """What the mistake changes in the solution, comments aside, as a diff."""
    solution = lesson.solution(lesson.exercise(wrong.exercise))
    one, other = _code(solution), _code(wrong.path.read_text())
    lines = list(difflib.unified_diff(one, other, n=1, lineterm=""))[2:]
    return "\n".join(["```diff", *lines, "```"])


def _code(source: str) -> list[str]:
    lines = (line.split("//")[0].rstrip() for line in source.splitlines())
    return [line for line in lines if line]


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
