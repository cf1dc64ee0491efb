"""A lesson for the front of a class: its solved notebook with every output, and after it what goes
wrong, mistake by mistake, with the judge's diagnosis; as a notebook and as slides. The slides have
a title page that says what is coming, notes for whoever presents them, and kernels that can be
edited on theirs (see `slides`)."""

import ast
import difflib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, v4
from nbformat.sign import NotebookNotary

from ..counted import counted
from ..course import Exercise, Lesson
from ..course.kinds import unmarked
from ..course.mistakes import WrongKernel
from ..course.weave import CUDA, cell_id, learners_cell, text, weave
from ..course_folder import CHOICE
from ..errors import AuthorError
from ..judge import Verdict
from ..submissions.cells import cuda_source
from ..submissions.intake import grade_id

PATIENCE = 120  # seconds a cell may take

_WHAT_GOES_WRONG = """\
## What goes wrong: {title}

{count} typical mistakes in `{name}`: what each changes in the solution, and what learners are told.
In the notebook you can run and change them; hidden cases count here, and not when you do."""
_TITLE = """\
# {title}

<div class="title-page">
{exercises}<br>
{minutes}{mistakes} at the end, each with what learners are told<br><br>
<kbd>→</kbd> <kbd>↓</kbd> go on · <kbd>F</kbd> full screen · <kbd>S</kbd> notes and a clock \
<span class="when-live">· <kbd>E</kbd> edit and run the kernel on a slide</span>
</div>"""


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
        """The source as it was judged: of its cell, by whose lines the verdict goes."""
        return cuda_source(self.cell)

    @property
    def title(self) -> str:
        """The mistake in words; with a capital, unless `x` or `gridDim` comes first."""
        said = self.wrong.mistake
        word = re.match(r"(a|[a-z'-]{2,})\b(?![A-Z(])", said)
        return said[:1].upper() + said[1:] if word else said

    @property
    def ends_in(self) -> str:
        """The verdict in few words."""
        line = f", line {self.verdict.line}" if self.verdict.line else ""
        return self.verdict.status.replace("_", " ") + line


@dataclass(frozen=True)
class Presentation:
    """A lesson's notebook and its slides, and the mistakes they show, exercise by exercise."""

    notebook: Path
    slides: Path
    mistakes: tuple[Mistake, ...]


def write(lesson: Lesson, mistakes: Iterable[Mistake], folder: Path) -> Presentation:
    """Run the solved lesson and write its presentation into `folder`."""
    from .slides import slides

    folder.mkdir(parents=True, exist_ok=True)
    order = [exercise.name for exercise in lesson.exercises]
    mistakes = tuple(sorted(mistakes, key=lambda mistake: order.index(mistake.wrong.exercise)))
    notebook = solved(lesson, folder)
    notebook.cells += _what_goes_wrong(lesson, mistakes)
    notebook.cells[0].source = _title_page(lesson, len(mistakes))
    made = Presentation(
        folder / f"{lesson.name}.ipynb", folder / f"{lesson.name}.slides.html", mistakes
    )
    made.notebook.write_text(text(notebook), encoding="utf-8")
    NotebookNotary().sign(notebook)  # else JupyterLab would hide its outputs' HTML
    _annotate(notebook, lesson, {_diff_id(lesson, mistake): mistake for mistake in mistakes})
    made.slides.write_text(slides(notebook, lesson.title), encoding="utf-8")
    return made


def changes(lesson: Lesson, mistake: Mistake) -> list[str]:
    """The lines that the mistake changes in the solution, comments aside, as the lines of a
    diff."""
    solution = lesson.solution(lesson.exercise(mistake.wrong.exercise))
    ours, theirs = (
        [code for line in source.splitlines() if (code := line.split("//")[0].rstrip())]
        for source in (solution, mistake.source)
    )
    diff = list(difflib.unified_diff(ours, theirs, n=3, lineterm=""))
    return ["⋮" if line.startswith("@@") else line for line in diff[3:]]


def solved(lesson: Lesson, folder: Path) -> NotebookNode:
    """The woven notebook, executed in `folder`; AuthorError when a cell cannot be."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellControlSignal, CellExecutionError

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
        why = (
            f"{error.ename}: {error.evalue}"
            if isinstance(error, CellExecutionError)
            else str(error).splitlines()[0]
        )
        raise AuthorError(
            f"A cell of kernels/{lesson.name}/lesson.md cannot be run ({why[:200]})."
        ) from error
    # Buttons without a kernel are but broken links; the question is there as text, and running
    # its cell brings them back.
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            for kind in [kind for kind in output.get("data", ()) if "widget" in kind]:
                del output.data[kind]
        if "outputs" in cell:  # one that was but buttons is none
            cell.outputs = [output for output in cell.outputs if output.get("data") != {}]
    return notebook


def _what_goes_wrong(lesson: Lesson, mistakes: tuple[Mistake, ...]) -> Iterator[NotebookNode]:
    """For each mistake what it changes; folded, the kernel to run; and the verdict on it."""
    from ..notebook import verdict_card

    folded = {"jupyter": {"source_hidden": True}}
    skipped = {**CUDA, **folded, "slideshow": {"slide_type": "skip"}}
    for exercise in lesson.exercises:
        name = exercise.name
        its = [mistake for mistake in mistakes if mistake.wrong.exercise == name]
        if its:
            heading = _WHAT_GOES_WRONG.format(title=exercise.title, count=len(its), name=name)
            yield v4.new_markdown_cell(heading, id=cell_id(lesson.name, heading))
        for mistake in its:
            shown = [f"### {mistake.title}\n", "```diff", *changes(lesson, mistake), "```"]
            yield v4.new_markdown_cell("\n".join(shown), id=_diff_id(lesson, mistake))
            yield v4.new_code_cell(
                mistake.cell,
                id=cell_id(lesson.name, f"%{mistake.wrong.name}"),
                metadata=skipped,
            )
            card = verdict_card.page(mistake.verdict, mistake.source, exercise)
            data, metadata = card._repr_mimebundle_()
            yield v4.new_code_cell(
                f'check("{name}")',
                id=cell_id(lesson.name, f"?{mistake.wrong.name}"),
                metadata=folded,
                outputs=[v4.new_output("display_data", data, metadata=metadata)],
            )


def _diff_id(lesson: Lesson, mistake: Mistake) -> str:
    """The id of the cell that shows what a mistake changes."""
    return cell_id(lesson.name, f"-{mistake.wrong.name}")


# --- for whoever presents it ---------------------------------------------------------------------


def _title_page(lesson: Lesson, mistakes: int) -> str:
    """The Markdown of the first slide."""
    kinds = Counter(exercise.kind.title for exercise in lesson.exercises)
    of_kinds = ", ".join(f"{kind} ({number})" for kind, number in kinds.most_common())
    minutes = sum(exercise.minutes for exercise in lesson.exercises)
    return _TITLE.format(
        title=lesson.title,
        exercises=escape(f"{counted(len(lesson.exercises), 'exercise')}: {of_kinds}"),
        minutes=f"some {counted(minutes, 'minute')} for learners<br>\n" if minutes else "",
        mistakes=counted(mistakes, "typical mistake"),
    )


def _annotate(notebook: NotebookNode, lesson: Lesson, mistakes: Mapping[str, Mistake]) -> None:
    """Give cells their notes, and those of exercises and of `mistakes` (by the id of the cell that
    shows one) the kernel to edit."""
    exercises = {exercise.name: exercise for exercise in lesson.exercises}
    coming = ["What is coming:\n"]
    for cell in notebook.cells:
        name = grade_id(cell)
        if name in exercises:
            cell.metadata.live = {"exercise": name, "source": cell.source}
            cell.metadata.notes = _notes(exercises[name], mistakes)
        elif cell.source.startswith("predict("):
            call = ast.parse(cell.source).body[0].value
            said = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
            cell.metadata.notes = f"Let them vote first. **{said['answer']}**: {said['because']}"
        elif mistake := mistakes.get(cell.id):
            cell.metadata.live = {"exercise": mistake.wrong.exercise, "source": mistake.cell}
            told = f"{mistake.verdict.message} {mistake.verdict.parts.ours}".rstrip()
            cell.metadata.notes = (
                "Ask before you go on: what goes wrong, and on which line? They are told: "
                f"**{mistake.ends_in}**. {told}"
            )
        lines = cell.source.splitlines() if cell.cell_type == "markdown" else ()
        coming += [f"- {line[3:]}" for line in lines if line.startswith("## ")]
    notebook.cells[0].metadata.notes = "\n".join(coming)


def _notes(exercise: Exercise, mistakes: Mapping[str, Mistake]) -> str:
    minutes = f", some {exercise.minutes} min" if exercise.minutes else ""
    worth = counted(exercise.points, "point")
    about = f"**{exercise.title}** ({exercise.kind.title}{minutes}, {worth})"
    its = [mistake for mistake in mistakes.values() if mistake.wrong.exercise == exercise.name]
    lines = [
        f"{about}: {exercise.teaches}" if exercise.teaches else about,
        "",
        *(f"- Hint: {hint}" for hint in exercise.hints),
        *(f"- Mistake: {mistake.title} ({mistake.ends_in})" for mistake in its),
    ]
    return "\n".join(lines)
