"""What the notebooks of a learner's folder hold, as they were handed out: lessons, exercises, and
the short pieces that a warm-up brings back.

They are read in `.warpwise/lessons`: that takes milliseconds, where loading the course would take
the longest part of a second, and somebody waits.
"""

import ast
import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from .folder import LESSONS

_SHORT = ("order", "place", "bug")  # the kinds of exercise that a warm-up has time for
_TO_PREDICT = 1  # minutes


@dataclass(frozen=True)
class Prediction:
    """A question to answer before a cell is run."""

    text: str
    choices: tuple[str, ...]
    answer: str  # one of the choices
    because: str  # why it is right

    @classmethod
    def of(cls, question: str, choices: Sequence[str], answer: str, because: str) -> "Prediction":
        """The question as a lesson's predict() has it."""
        if answer not in choices:
            raise ValueError(
                f"predict: the answer {answer!r} is not one of the choices {choices!r}"
            )
        return cls(question, tuple(choices), answer, because)

    @property
    def key(self) -> str:
        """By which its answer is remembered: another wording is another question."""
        return hashlib.sha256("\n".join((self.text, *self.choices)).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Piece:
    """A part of a lesson that a learner can do again in a few minutes."""

    lesson: str  # its name
    section: str  # the heading that it is under
    name: str  # the exercise's, or the key of the prediction
    minutes: int
    task: Prediction | str  # a question; or the text of an exercise's cell
    above: str  # Markdown: the section up to here, without other questions
    asked: str  # Markdown: the part of it that stands right above


@dataclass(frozen=True)
class HandedOut:
    """A notebook as it was handed out: a lesson, or a page to be read."""

    name: str
    title: str
    exercises: tuple[str, ...]  # names, in order; a page has none
    predictions: int  # that are to be made in it
    pieces: tuple[Piece, ...]  # in order


def handed_out(root: Path) -> list[HandedOut]:
    """Every notebook that was handed out to the learner's folder `root`."""
    paths = sorted((root / LESSONS).glob("*.ipynb"))
    return [_read(path, path.stat().st_mtime_ns) for path in paths]


@lru_cache(maxsize=64)
def _read(path: Path, changed: int) -> HandedOut:
    """The notebook that was last `changed` then."""
    cells = json.loads(path.read_bytes()).get("cells", [])
    texts = ["".join(cell.get("source", "")) for cell in cells]
    titles = [text.partition("\n")[0][2:] for text in texts if text.startswith("# ")]
    title = next(iter(titles), path.stem)
    exercises = tuple(dict.fromkeys(filter(None, map(_exercise, cells))))
    questions = sum(text.startswith("predict(") for text in texts)
    pieces = tuple(_pieces(path.stem, title, cells))
    return HandedOut(path.stem, title, exercises, questions, pieces)


def _exercise(cell: dict[str, Any]) -> str:
    """The name of the exercise that is answered in a cell; or ""."""
    mark = cell.get("metadata", {}).get("nbgrader", {})
    return str(mark.get("grade_id", "")) if mark.get("solution") else ""


def _pieces(lesson: str, title: str, cells: list[dict[str, Any]]) -> Iterator[Piece]:
    section = title
    above: list[str] = []  # what a learner has read of the section
    asked: list[str] = []  # the prose since the last cell of code
    for cell in cells:
        text = "".join(cell.get("source", ""))
        if cell.get("cell_type") == "markdown":
            if text.startswith(("# ", "## ")):
                section, above = text.partition("\n")[0].lstrip("# "), []
                asked = []
            above.append(text)
            asked.append(text)
            continue
        known = cell.get("metadata", {}).get("warpwise", {})
        task, name, minutes = _prediction(text), _exercise(cell), known.get("minutes", 0)
        before = ("\n\n".join(above), "\n\n".join(asked))
        if task:
            yield Piece(lesson, section, task.key, _TO_PREDICT, task, *before)
        elif known.get("kind") in _SHORT:
            yield Piece(lesson, section, name, minutes, text, *before)
        elif text.startswith("%%cuda") and not name:
            above.append(f"```c++\n{text.partition(chr(10))[2]}\n```")
        asked = []


def _prediction(cell: str) -> Prediction | None:
    """The question that a cell asks, if it asks one and its words are written out there."""
    if cell.startswith("predict("):
        with suppress(SyntaxError, TypeError, ValueError):
            match ast.parse(cell).body:
                case [ast.Expr(ast.Call(args=args, keywords=named))]:
                    words = {str(each.arg): ast.literal_eval(each.value) for each in named}
                    return Prediction.of(*map(ast.literal_eval, args), **words)
    return None
