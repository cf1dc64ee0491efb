"""What a learner still remembers, by what `progress` says: which pieces are due, which concepts are
mastered, and a warm-up of a few minutes.

A concept is a section of a lesson, with its predictions and its short exercises. The tries of one
sitting at a piece are a review: right at first, right after a hint or a wrong try, or not right.
FSRS says from the reviews when the learner will have forgotten the piece with a chance of 10 %;
then it is due. Only pieces of lessons whose exercises are all passed come back.

J. Ye, J. Su, Y. Cao, A stochastic shortest path algorithm for optimizing spaced repetition
scheduling, KDD 2022.
"""

import ast
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import accumulate, groupby, pairwise
from pathlib import Path
from typing import Any

from fsrs import Card, Rating, Scheduler

from ..errors import counted
from ..grouped import grouped
from ..say.questions import Prediction
from . import progress
from .folder import LESSONS

FEWEST, MOST, MINUTES = 3, 5, 10  # of a warm-up: pieces, pieces, minutes
# Where more is due than fits, pieces with about this chance of being known come first. At the end
# of a simulated term learners then know more than with the most forgotten ones first
# (`python -m tools.remembering`).
FIRST = 0.7
APART = timedelta(days=3)  # a piece is mastered that is right at first twice, so far apart
# Intervals of whole days, and the same ones each time.
_SCHEDULER = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)


@dataclass(frozen=True)
class LessonPiece:
    """A part of a lesson that a learner can do again in a few minutes."""

    lesson: str  # its name
    section: str  # the heading that it is under
    name: str  # the exercise's, or the key of the prediction as the lesson asks it
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
    pieces: tuple[LessonPiece, ...]  # in order


@dataclass(frozen=True)
class Remembered:
    """A piece, and how well its learner remembers it."""

    piece: LessonPiece
    state: str  # "new", "learning" or "mastered"
    chance: float  # of still knowing it, from 0 to 1; 0 if it was never done
    returns: bool  # its lesson is passed
    due: bool


@dataclass(frozen=True)
class Concept:
    """A section of a lesson, as far as its pieces are remembered."""

    title: str
    state: str  # of all its pieces; "learning" if they differ
    due: bool  # a piece of it is
    minutes: int  # to do all its pieces


def length(pieces: list[LessonPiece]) -> str:
    """How many pieces, and how long they take, in words."""
    return (
        f"{counted(len(pieces), 'piece')}, "
        f"{counted(sum(piece.minutes for piece in pieces), 'minute')}"
    )


def concepts(root: Path) -> dict[str, list[Concept]]:
    """The concepts of every lesson in the learner's folder `root`, by the lesson's name."""
    sections = groupby(remembered(root), lambda each: (each.piece.lesson, each.piece.section))
    return grouped(
        (
            lesson,
            Concept(
                title,
                state="learning" if len({each.state for each in pieces}) > 1 else pieces[0].state,
                due=any(each.due for each in pieces),
                minutes=sum(each.piece.minutes for each in pieces),
            ),
        )
        for (lesson, title), group in sections
        for pieces in [list(group)]
    )


def warm_up(root: Path) -> list[LessonPiece]:
    """Three to five pieces for at most ten minutes, nothing if nothing is due. Lessons
    alternate, and of a lesson the piece comes first whose chance of being known is nearest to
    FIRST. If fewer than three pieces are due, others of passed lessons join them. There is at most
    one exercise, and it is last."""
    every = [
        each
        for each in remembered(root)
        if each.due or (each.returns and each.chance < 1)  # nothing that was done today
    ]
    if not any(each.due for each in every):
        return []
    chosen: list[LessonPiece] = []
    while every and len(chosen) < (MOST if any(each.due for each in every) else FEWEST):
        lessons = [piece.lesson for piece in chosen]
        best = min(
            every,
            key=lambda each: (
                not each.due,
                lessons.count(each.piece.lesson),
                abs(each.chance - FIRST),
            ),
        )
        chosen.append(best.piece)
        left = MINUTES - sum(piece.minutes for piece in chosen)
        every = [
            each
            for each in every
            if each is not best
            and each.piece.minutes <= left
            and (isinstance(best.piece.task, Prediction) or isinstance(each.piece.task, Prediction))
        ]
    return sorted(chosen, key=lambda piece: isinstance(piece.task, str))


def remembered(root: Path) -> list[Remembered]:
    """Every piece of every lesson, in order."""
    done = progress.read(root)
    return [
        _remembered(piece, did.tries[piece.name], did.passed.issuperset(lesson.exercises))
        for lesson in handed_out(root)
        for did in [done.get(lesson.name, progress.Done())]
        for piece in lesson.pieces
    ]


def _remembered(piece: LessonPiece, tries: list[progress.Try], passed: bool) -> Remembered:
    """`piece` after its tries, in order; `passed` is true if its lesson is."""
    card, right_since, mastered, done = Card(card_id=0), None, False, list(reviews(tries))
    if isinstance(piece.task, Prediction):
        piece = replace(piece, task=piece.task.after(len(done)))
    for at, rating in done:
        card, _ = _SCHEDULER.review_card(card, rating, at)
        right_since = (right_since or at) if rating is Rating.Good else None
        mastered = right_since is not None and at - right_since >= APART
    if card.last_review is None:
        return Remembered(piece, "new", 0.0, passed, due=False)
    state, now = "mastered" if mastered else "learning", progress.now()
    return Remembered(
        piece,
        state,
        _SCHEDULER.get_card_retrievability(card, now),
        passed,
        due=passed and card.due <= now,
    )


def reviews(tries: list[progress.Try]) -> Iterator[tuple[datetime, Rating]]:
    """The start of each sitting at a piece, and how it went; `tries` are in order."""
    # Tries with a pause of more than six hours between them are two reviews.
    numbers = accumulate(
        (after - before > timedelta(hours=6) for (before, _), (after, _) in pairwise(tries)),
        initial=0,
    )
    for sitting in grouped(zip(numbers, tries, strict=False)).values():
        results = [right for _, right in sitting]
        if True in results:
            yield sitting[0][0], Rating.Good if results[0] else Rating.Hard
        elif False in results:  # a hint alone is no answer
            yield sitting[0][0], Rating.Again


# ---- the notebooks as they were handed out ----


def handed_out(root: Path) -> list[HandedOut]:
    """Every notebook that was handed out to the learner's folder `root`."""
    return [  # in milliseconds; to read the course takes far longer
        _read(path, path.stat().st_mtime_ns) for path in sorted((root / LESSONS).glob("*.ipynb"))
    ]


@lru_cache(maxsize=64)
def _read(path: Path, changed: int) -> HandedOut:
    """The notebook that was last `changed` then."""
    cells = json.loads(path.read_bytes()).get("cells", [])
    texts = ["".join(cell.get("source", "")) for cell in cells]
    title = next((one.partition("\n")[0][2:] for one in texts if one.startswith("# ")), path.stem)
    return HandedOut(
        path.stem,
        title,
        exercises=tuple(dict.fromkeys(filter(None, map(_exercise, cells)))),
        predictions=sum(text.startswith("predict(") for text in texts),
        pieces=tuple(_pieces(path.stem, title, cells)),
    )


def _exercise(cell: dict[str, Any]) -> str:
    """The name of the exercise that is answered in a cell; or ""."""
    mark = cell.get("metadata", {}).get("nbgrader", {})
    return str(mark.get("grade_id", "")) if mark.get("solution") else ""


def _pieces(lesson: str, title: str, cells: list[dict[str, Any]]) -> Iterator[LessonPiece]:
    section, above, start = title, [""], 0  # what was read of the section, and where prose began
    for cell in cells:
        text, known = "".join(cell.get("source", "")), cell.get("metadata", {}).get("warpwise", {})
        if cell.get("cell_type") == "markdown":
            if text.startswith(("# ", "## ")):
                section, above, start = text.partition("\n")[0].lstrip("# "), [], 0
            above.append(text)
            continue
        before = ("\n\n".join(above), "\n\n".join(above[start:]))
        if task := prediction(text):
            yield LessonPiece(lesson, section, task.key, 1, task, *before)  # a minute
        elif known.get("kind") in ("order", "place", "bug"):  # what a warm-up has time for
            yield LessonPiece(lesson, section, _exercise(cell), known["minutes"], text, *before)
        elif text.startswith("%%cuda") and not _exercise(cell):
            above.append("```c++" + text.removeprefix(text.partition("\n")[0]) + "\n```")
        start = len(above)


def prediction(cell: str) -> Prediction | None:
    """The question that a cell asks, if it asks one and its words are written out there."""
    if cell.startswith("predict("):
        with suppress(KeyError, SyntaxError, TypeError, ValueError):
            match ast.parse(cell).body:
                case [ast.Expr(ast.Call(args=args, keywords=named))]:
                    words: dict[str, Any] = {
                        str(each.arg): ast.literal_eval(each.value) for each in named
                    }
                    words["choices"] = tuple(words["choices"])
                    words["anew"] = tuple(
                        (text, tuple(choices), answer, because)
                        for text, choices, answer, because in words.get("anew", ())
                    )
                    return Prediction(*map(ast.literal_eval, args), **words)
    return None
