"""The page that JupyterLab opens with: where one is in the course, and where to go on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

from .. import course
from ..cuda import gpu_count
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
_HAND_IN = (
    "`grader submit LESSON` in a terminal (File, New, Terminal) hands a lesson in, or makes the "
    "file to hand in, and says which exercises nothing is written for yet."
)
_UPDATE = "There is a new edition of {}: `grader update` in a terminal brings it in."


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
        return bool(self.passed or self.answered) and not self.done


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


def page(root: Path) -> str:
    """The start page of the learner's folder `root` as HTML, whose classes our labextension
    styles; a lesson is a link to its notebook."""
    found = stations(root)
    go_on = _where_to_go_on(found)
    newer = [name for name in outdated(root) if (root / f"{name}.ipynb").exists()]
    notes = [("A new edition", _UPDATE.format(", ".join(newer)))] if newer else []
    notes += [
        ("This machine", _DEVICE[gpu_count() > 0]),
        ("Handing in", _HAND_IN),
        ("What is kept", _FILES),
    ]
    rows = "".join(_row(station, station is go_on) for station in found)
    beside = "".join(f"<h2>{escape(title)}</h2>{_note(text)}" for title, text in notes)
    return (
        f"<h1>Warpwise: CUDA, run and watched</h1><p>{escape(_ABOUT)}</p>{_next(go_on)}"
        f'<div class="warpwise-columns"><ol>{rows}</ol><aside>{beside}</aside></div>'
    )


def _where_to_go_on(found: list[Station]) -> Station | None:
    """The last lesson that was begun and is not done, else the first that is not."""
    open_ones = [station for station in found if not station.done]
    begun = [station for station in open_ones if station.begun]
    return next(iter(begun[-1:] or open_ones), None)


def _next(station: Station | None) -> str:
    if station is None:
        return _note("All exercises of all lessons are passed.")
    verb = "Go on here" if station.begun else "Begin here"
    there = (
        f'<a class="warpwise-go" href="{station.name}.ipynb">{verb}: {escape(station.title)}</a>'
    )
    return f"<p>{there}</p>"


def _row(station: Station, is_next: bool) -> str:
    title = escape(station.title)
    if station.there:
        title = f'<a href="{station.name}.ipynb">{title}</a>'
    kinds = {"next": is_next, "begun": station.begun, "done": station.done}
    names = " ".join(f"warpwise-{kind}" for kind, holds in kinds.items() if holds)
    number = "✓" if station.done else escape(station.name.partition("_")[0])
    return f'<li class="{names}"><span>{number}</span>{title}<div>{_done(station)}</div></li>'


def _done(station: Station) -> str:
    exercises = f"{station.passed} of {station.exercises} exercises passed"
    answered = f"{station.answered} of {station.predictions} predictions made"
    right = f", {station.right} right" if station.answered else ""
    return f"{exercises}; {answered}{right}"


def _note(text: str) -> str:
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return f"<p>{marked}</p>"


def _prose(lesson: course.Lesson) -> str:
    return (lesson.path / "lesson.md").read_text(encoding="utf-8")
