"""The page that JupyterLab opens with: where one is in the course, and where to go on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

from .. import course
from ..cuda import gpu_count
from ..notebook.html import ACCENTS, BORDER, MUTED, TEXT, Page
from . import progress
from .folder import outdated

_PREDICTION = re.compile(r"^```python\npredict\(", re.MULTILINE)
_ABOUT = (
    "Read, predict, run; then write a kernel and ask check() whether it is right. "
    "Work in any order; the lessons build on each other."
)
_DEVICE = {
    True: "This machine has a GPU: kernels run on it, after the simulated one has checked them.",
    False: "No GPU here, and none is needed: kernels run on the simulated GPU, which checks "
    "every memory access.",
}
_FILES = (
    "Everything here is yours: course updates never write over it. What you have done is "
    "kept in progress.jsonl; copy it to another machine, or delete it to begin again."
)
_HAND_IN = "To hand in a lesson: `grader submit LESSON` in a terminal (File, New, Terminal)."
_UPDATE = "There is a new edition of {}: `grader update` in a terminal brings it into your notebooks."


@dataclass(frozen=True)
class Station:
    """A lesson on the map."""

    name: str
    title: str
    passed: int
    exercises: int
    answered: int
    right: int
    predictions: int
    there: bool

    @property
    def done(self) -> bool:
        return self.passed == self.exercises

    @property
    def begun(self) -> bool:
        return bool(self.passed or self.answered)


def stations(root: Path) -> list[Station]:
    """Every lesson, with what was done of it in the learner's folder `root`."""
    done = progress.read(root)
    found = []
    for lesson in course.lessons():
        mine = done.get(lesson.name, progress.Done())
        names = {exercise.name for exercise in lesson.exercises}
        found.append(
            Station(
                lesson.name,
                lesson.title,
                passed=len(mine.passed & names),
                exercises=len(names),
                answered=len(mine.predicted),
                right=mine.right,
                predictions=len(_PREDICTION.findall(_prose(lesson))),
                there=(root / f"{lesson.name}.ipynb").exists(),
            )
        )
    return found


def page(root: Path) -> Page:
    """The start page of the learner's folder `root`; a lesson is a link to its notebook."""
    found = stations(root)
    go_on = _where_to_go_on(found)
    newer = [name for name in outdated(root) if (root / f"{name}.ipynb").exists()]
    notes = [_DEVICE[gpu_count() > 0], _HAND_IN, _FILES]
    notes += [_UPDATE.format(", ".join(newer))] if newer else []
    rows = "".join(_row(station, station is go_on) for station in found)
    html = (
        f'<h1 style="font-size: 1.6em; margin: 0 0 4px">Warpwise: CUDA, run and watched</h1>'
        f'<p style="color: {MUTED}; margin: 0 0 12px">{escape(_ABOUT)}</p>{_next(go_on)}'
        f'<ol style="{_LIST}">{rows}</ol>' + "".join(_note(note) for note in notes)
    )
    lines = [f"{_sign(one)} {one.title}: {_done(one)}" for one in found]
    return Page(f'<div style="{_PAGE}">{html}</div>', "\n".join([_ABOUT, *lines, *notes]))


def _where_to_go_on(found: list[Station]) -> Station | None:
    """The last lesson that was begun and is not done, else the first that is not."""
    open_ones = [station for station in found if not station.done]
    begun = [station for station in open_ones if station.begun]
    return next(iter(begun[-1:] or open_ones), None)


def _next(station: Station | None) -> str:
    if station is None:
        return _note("All exercises of all lessons are passed.")
    verb = "Go on here" if station.begun else "Begin here"
    style = (
        "display: inline-block; padding: 8px 16px; border-radius: 3px; text-decoration: none; "
        "background: var(--jp-brand-color0, #0d47a1); color: var(--jp-layout-color0, #ffffff);"
    )
    link = f'<a href="{station.name}.ipynb" style="{style}">{verb}: {escape(station.title)}</a>'
    return f'<p style="margin: 0 0 16px">{link}</p>'


def _row(station: Station, is_next: bool) -> str:
    edge = ACCENTS["note"] if is_next else BORDER
    style = f"border-left: 4px solid {edge}; padding: 6px 12px; margin: 4px 0;"
    title = f'<a href="{station.name}.ipynb" style="color: {TEXT}">{escape(station.title)}</a>'
    number = f'<span style="color: {MUTED}">{escape(station.name[:2])}</span>'
    sign = f'<span style="color: {ACCENTS["success"]}">{_sign(station)}</span>'
    told = f'<div style="color: {MUTED}">{escape(_done(station))}</div>'
    return f'<li style="{style}">{number} {title if station.there else escape(station.title)} {sign}{told}</li>'


def _sign(station: Station) -> str:
    return "✓" if station.done else "…" if station.begun else ""


def _done(station: Station) -> str:
    exercises = f"{station.passed} of {station.exercises} exercises passed"
    answered = f"{station.answered} of {station.predictions} predictions made"
    right = f", {station.right} right" if station.answered else ""
    return f"{exercises}; {answered}{right}"


def _note(text: str) -> str:
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return f'<p style="margin: 8px 0; max-width: 72ch">{marked}</p>'


def _prose(lesson: course.Lesson) -> str:
    return (lesson.path / "lesson.md").read_text(encoding="utf-8")


_PAGE = (
    f"color: {TEXT}; padding: 24px 32px; max-width: 860px; line-height: 1.5; "
    "font-family: var(--jp-content-font-family, system-ui, sans-serif); "
    "font-size: var(--jp-content-font-size1, 14px);"
)
_LIST = "list-style: none; padding: 0; margin: 0 0 16px"
