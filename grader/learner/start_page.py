"""The page that JupyterLab opens with: where one is in the course, and where to go on.

What lessons there are it reads in the notebooks as they were handed out: that takes milliseconds,
where loading the course would take the longest part of a second, and somebody waits.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from ..counted import counted
from ..cuda import gpu_count
from . import progress
from .folder import LESSONS, outdated

_ABOUT = (
    "Read, predict, run; then write a kernel and ask check() whether it is right. "
    "The lessons build on each other; begin wherever you like."
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
_RESTORE = (
    "`grader restore LESSON EXERCISE` brings a cell back as it was handed out, and keeps what you "
    "wrote below it; without the exercise, the whole lesson."
)
_UPDATE = "There is a new edition of {}: `grader update` in a terminal brings it in."


@dataclass(frozen=True)
class Notebook:
    """What was handed out: a lesson with the names of its exercises, or a page to be read,
    which has none; and how many predictions are to be made in it."""

    name: str
    title: str
    exercises: frozenset[str]
    predictions: int


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
    for lesson in _handed_out(root):
        if not lesson.exercises:
            continue
        mine = done.get(lesson.name, progress.Done())
        found.append(
            Station(
                lesson.name,
                lesson.title,
                passed=len(mine.passed & lesson.exercises),
                exercises=len(lesson.exercises),
                answered=len(mine.predicted),
                right=mine.right,
                predictions=lesson.predictions,
                there=_is_there(root, lesson.name),
            )
        )
    return found


def _handed_out(root: Path) -> list[Notebook]:
    paths = sorted((root / LESSONS).glob("*.ipynb"))
    return [_read(path, path.stat().st_mtime_ns) for path in paths]


def _is_there(root: Path, name: str) -> bool:
    return (root / f"{name}.ipynb").exists()


@lru_cache(maxsize=64)
def _read(path: Path, changed: int) -> Notebook:
    """The notebook that was last `changed` then."""
    cells = json.loads(path.read_bytes()).get("cells", [])
    texts = [_text(cell) for cell in cells]
    titles = [text.partition("\n")[0][2:] for text in texts if text.startswith("# ")]
    exercises = {name for cell in cells if (name := _exercise(cell))}
    questions = sum(text.startswith("predict(") for text in texts)
    return Notebook(path.stem, next(iter(titles), path.stem), frozenset(exercises), questions)


def _text(cell: dict[str, Any]) -> str:
    return "".join(cell.get("source", ""))


def _exercise(cell: dict[str, Any]) -> str:
    """The name of the exercise that is solved in a cell; none if it is not for that."""
    mark = cell.get("metadata", {}).get("nbgrader", {})
    return mark.get("grade_id", "") if mark.get("solution") else ""


def page(root: Path) -> str:
    """The start page of the learner's folder `root` as HTML, whose classes our labextension
    styles; a lesson is a link to its notebook."""
    found = stations(root)
    go_on = _where_to_go_on(found)
    newer = [name for name in outdated(root) if _is_there(root, name)]
    notes = [("A new edition", _UPDATE.format(", ".join(newer)))] if newer else []
    notes += [
        ("This machine", _DEVICE[gpu_count() > 0]),
        ("Handing in", _HAND_IN),
        ("A cell past mending", _RESTORE),
        ("What is kept", _FILES),
    ]
    rows = "".join(_row(station, station is go_on) for station in found)
    beside = "".join(f"<h2>{escape(title)}</h2>{_note(text)}" for title, text in notes)
    beside = _pages(root) + beside
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


def _pages(root: Path) -> str:
    """Links to what is only to be read."""
    pages = [one for one in _handed_out(root) if not one.exercises and _is_there(root, one.name)]
    links = "".join(f'<li><a href="{one.name}.ipynb">{escape(one.title)}</a></li>' for one in pages)
    return f"<h2>To look things up</h2><ul>{links}</ul>" if links else ""


def _done(station: Station) -> str:
    exercises = f"{station.passed} of {counted(station.exercises, 'exercise')} passed"
    if not station.predictions:
        return exercises
    answered = f"{station.answered} of {counted(station.predictions, 'prediction')} made"
    right = f", {station.right} right" if station.answered else ""
    return f"{exercises}; {answered}{right}"


def _note(text: str) -> str:
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return f"<p>{marked}</p>"
