"""What slides have for whoever presents them: a title page that says what is coming, notes beside
slides, and kernels that can be edited on theirs (see `slides`)."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING

from nbformat import NotebookNode

from ..counted import counted
from ..course import Exercise, Lesson
from ..submissions.intake import grade_id

if TYPE_CHECKING:
    from .presentation import Mistake

_TITLE = """\
# {title}

<div class="title-page">
{exercises}<br>
{minutes}{mistakes} at the end, each with what learners are told<br><br>
<kbd>→</kbd> <kbd>↓</kbd> go on · <kbd>F</kbd> full screen · <kbd>S</kbd> notes and a clock \
<span class="when-live">· <kbd>E</kbd> edit and run the kernel on a slide</span>
</div>"""


def title_page(lesson: Lesson, mistakes: int) -> str:
    """The Markdown of the first slide."""
    kinds = Counter(one.kind.title for one in lesson.exercises)
    of_kinds = ", ".join(f"{kind} ({number})" for kind, number in kinds.most_common())
    minutes = sum(one.minutes for one in lesson.exercises)
    return _TITLE.format(
        title=lesson.title,
        exercises=escape(f"{counted(len(lesson.exercises), 'exercise')}: {of_kinds}"),
        minutes=f"some {counted(minutes, 'minute')} for learners<br>\n" if minutes else "",
        mistakes=counted(mistakes, "typical mistake"),
    )


def annotate(notebook: NotebookNode, lesson: Lesson, mistakes: Mapping[str, Mistake]) -> None:
    """Give cells their notes, and those of exercises and of `mistakes` (by the id of the cell that
    shows one) the kernel to edit."""
    exercises = {one.name: one for one in lesson.exercises}
    for cell in notebook.cells:
        name = grade_id(cell)
        if name in exercises:
            cell.metadata.live = {"exercise": name, "source": cell.source}
            cell.metadata.notes = _of_exercise(exercises[name], mistakes)
        elif cell.source.startswith("predict("):
            cell.metadata.notes = _of_question(cell.source)
        elif mistake := mistakes.get(cell.id):
            cell.metadata.live = {"exercise": mistake.wrong.exercise, "source": mistake.cell}
            cell.metadata.notes = _of_mistake(mistake)
    notebook.cells[0].metadata.notes = "\n".join(_sections(notebook))


def _of_exercise(exercise: Exercise, mistakes: Mapping[str, Mistake]) -> str:
    minutes = f", some {exercise.minutes} min" if exercise.minutes else ""
    worth = counted(exercise.points, "point")
    about = f"**{exercise.title}** ({exercise.kind.title}{minutes}, {worth})"
    lines = [f"{about}: {exercise.teaches}" if exercise.teaches else about, ""]
    lines += [f"- Hint: {hint}" for hint in exercise.hints]
    its = [one for one in mistakes.values() if one.wrong.exercise == exercise.name]
    lines += [f"- Mistake: {one.title} ({_ends_in(one)})" for one in its]
    return "\n".join(lines)


def _of_question(source: str) -> str:
    call = ast.parse(source).body[0].value  # type: ignore[attr-defined]
    said = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
    return f"Let them vote first. **{said['answer']}**: {said['because']}"


def _of_mistake(mistake: Mistake) -> str:
    asked = "Ask before you go on: what goes wrong, and on which line?"
    return f"{asked} They are told: **{_ends_in(mistake)}**. {mistake.verdict.message}"


def _ends_in(mistake: Mistake) -> str:
    line = f", line {mistake.verdict.line}" if mistake.verdict.line else ""
    return mistake.verdict.status.replace("_", " ") + line


def _sections(notebook: NotebookNode) -> Iterator[str]:
    yield "What is coming:\n"
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for line in cell.source.splitlines():
                if line.startswith("## "):
                    yield f"- {line.removeprefix('## ')}"
