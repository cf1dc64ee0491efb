"""lesson(): the first thing a notebook calls."""

from __future__ import annotations

from pathlib import Path

from IPython.display import display

from grader import compilers, course, cuda
from grader.errors import NotInCourse
from grader.learner import progress

from . import cards, failures, magic, session
from .html import Page, paragraph, prose

_DEVICES = {
    "simulator": (
        "No GPU here: kernels run on the simulated GPU. NVIDIA's compiler, every memory access "
        "checked, true results; only the time it takes says nothing about a real GPU."
    ),
    "gpu": (
        "Kernels run on this machine's GPU; `check` and `watch` use the simulated GPU first, "
        "which sees every memory access."
    ),
}


def lesson(name: str, partial_marks: bool = True) -> None:
    """Open the lesson `name`, e.g. "02_tree_reduction": teaches the notebook `%%cuda`, tells
    `check` and `hint` where the exercises are, and says which device kernels run on.
    `partial_marks`: whether one fault that the lesson names leaves a part of the points."""
    shell = failures.shell()
    failures.install(shell)
    magic.install(shell)
    try:
        found = course.lesson(name, compiler=compilers.chosen_name())
    except NotInCourse as error:
        raise failures.Notice(str(error)) from None
    session.begin(found, partial_marks)
    display(_opened(found))


def _opened(lesson: course.Lesson) -> Page:
    """Which lesson this is, what was done of it, and the ones beside it."""
    first = cards.line("note", lesson.title, _DEVICES[cuda.device])
    passed = [one.name for one in lesson.exercises if one.name in progress.of(lesson.name).passed]
    named = ", ".join(f"`{name}`" for name in passed)
    told = f"Passed so far: ✓ {named}." if passed else ""
    beside = _beside(lesson)
    links = " · ".join(f'<a href="{name}.ipynb">{prose(text)}</a>' for name, text in beside)
    parts = [paragraph(told)] if told else []
    parts += [f'<div style="margin: 4px 0">{links}</div>'] if links else []
    rows = [first.text, told, " · ".join(text for _, text in beside)]
    return Page(first.html + "".join(parts), "\n".join(row for row in rows if row))


def _beside(lesson: course.Lesson) -> list[tuple[str, str]]:
    """The lessons before and after this one whose notebooks lie in this folder, with what a link
    to them says."""
    names = course.names(lesson.path.parent)
    at = names.index(lesson.name)
    near = [(names[at - 1], "Previous")] if at else []
    near += [(name, "Next") for name in names[at + 1 : at + 2]]
    return [
        (name, f"{word}: {course.lesson(name, lesson.path.parent).title}")
        for name, word in near
        if Path(f"{name}.ipynb").is_file()
    ]
