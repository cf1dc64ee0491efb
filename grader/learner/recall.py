"""What a learner still remembers, by what `progress` says: which pieces are due, which concepts are
mastered, and a warm-up of a few minutes.

A concept is a section of a lesson, with its predictions and its short exercises. The tries of one
sitting at a piece are a review: right at first, right after a hint or a wrong try, or not right.
FSRS says from the reviews when the learner will have forgotten the piece with a chance of 10 %;
then it is due. Only pieces of lessons whose exercises are all passed come back.

J. Ye, J. Su, Y. Cao, A stochastic shortest path algorithm for optimizing spaced repetition
scheduling, KDD 2022.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

from fsrs import Card, Rating, Scheduler

from . import progress
from .pieces import Piece, handed_out

FEWEST, MOST, MINUTES = 3, 5, 10  # of a warm-up: pieces, pieces, minutes
APART = timedelta(days=3)  # a piece is mastered that is right at first twice, so far apart
_SITTING = timedelta(hours=6)  # tries with a longer pause between them are two reviews
# Intervals of whole days, and the same ones each time.
_SCHEDULER = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)


@dataclass(frozen=True)
class Remembered:
    """A piece, and how well its learner remembers it."""

    piece: Piece
    state: str  # "new", "learning" or "mastered"
    chance: float  # of still knowing it, from 0 to 1; 0 if it was never done
    returns: bool  # its lesson is passed
    due: bool


@dataclass(frozen=True)
class Concept:
    """A section of a lesson, as far as its pieces are remembered."""

    title: str
    pieces: tuple[Remembered, ...]

    @property
    def state(self) -> str:
        """The state of all its pieces; "learning" if they differ."""
        states = {each.state for each in self.pieces}
        return states.pop() if len(states) == 1 else "learning"

    @property
    def due(self) -> bool:
        return any(each.due for each in self.pieces)

    @property
    def minutes(self) -> int:
        """How long the pieces take that are due; all of them, if none is."""
        due = [each for each in self.pieces if each.due]
        return sum(each.piece.minutes for each in due or self.pieces)


def concepts(root: Path) -> dict[str, list[Concept]]:
    """The concepts of every lesson in the learner's folder `root`, by the lesson's name."""
    done, tries = progress.read(root), progress.tries(root)
    by_lesson: dict[str, list[Concept]] = {}
    for lesson in handed_out(root):
        passed = done.get(lesson.name, progress.Done()).passed.issuperset(lesson.exercises)
        sections: dict[str, list[Remembered]] = {}
        for piece in lesson.pieces:
            reviews = list(_reviews(tries.get((lesson.name, piece.name), [])))
            sections.setdefault(piece.section, []).append(_remembered(piece, reviews, passed))
        by_lesson[lesson.name] = [Concept(title, tuple(all_)) for title, all_ in sections.items()]
    return by_lesson


def warm_up(root: Path) -> list[Piece]:
    """Three to five pieces for at most ten minutes, nothing if nothing is due. Lessons
    alternate, and the most forgotten piece of a lesson comes first. If fewer than three pieces are
    due, others of passed lessons join them. There is at most one exercise, and it is last."""
    every = [
        each
        for lesson in concepts(root).values()
        for concept in lesson
        for each in concept.pieces
        if each.due or (each.returns and each.chance < 1)  # nothing that was done today
    ]
    if not any(each.due for each in every):
        return []
    every.sort(key=lambda each: (not each.due, each.chance))
    places: defaultdict[str, Iterator[int]] = defaultdict(count)
    ranked = [(not each.due, next(places[each.piece.lesson]), each.chance) for each in every]
    chosen: list[Piece] = []
    for _, each in sorted(zip(ranked, every, strict=True), key=lambda pair: pair[0]):
        minutes = each.piece.minutes + sum(piece.minutes for piece in chosen)
        exercises = [piece for piece in [*chosen, each.piece] if isinstance(piece.task, str)]
        room = MOST if each.due else FEWEST
        if len(chosen) < room and minutes <= MINUTES and len(exercises) < 2:
            chosen.append(each.piece)
    return sorted(chosen, key=lambda piece: isinstance(piece.task, str))


def _reviews(tries: list[progress.Try]) -> Iterator[tuple[datetime, Rating]]:
    """The start of each sitting at a piece, and how it went; `tries` are in order."""
    sittings: list[list[progress.Try]] = []
    for each in tries:
        if not sittings or each.at - sittings[-1][-1].at > _SITTING:
            sittings.append([])
        sittings[-1].append(each)
    for sitting in sittings:
        results = [each.right for each in sitting]
        if results[0]:
            yield sitting[0].at, Rating.Good
        elif any(results):
            yield sitting[0].at, Rating.Hard
        elif False in results:  # a hint alone is no answer
            yield sitting[0].at, Rating.Again


def _remembered(piece: Piece, reviews: list[tuple[datetime, Rating]], passed: bool) -> Remembered:
    """`piece` after its reviews, in order; `passed` is true if its lesson is."""
    if not reviews:
        return Remembered(piece, "new", 0.0, passed, due=False)
    now, card = progress.now(), Card(card_id=0)
    right_since: datetime | None = None  # the first of the reviews right at first, up to the last
    for at, rating in reviews:
        card, _ = _SCHEDULER.review_card(card, rating, at)
        right_since = (right_since or at) if rating is Rating.Good else None
    mastered = right_since is not None and reviews[-1][0] - right_since >= APART
    return Remembered(
        piece,
        "mastered" if mastered else "learning",
        _SCHEDULER.get_card_retrievability(card, now),
        passed,
        due=passed and card.due <= now,
    )
