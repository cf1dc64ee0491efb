"""Which column of a learning platform is a lesson's: teachers call them "Lab 02 Tree reduction",
"HW2: tree reductions" or "Assignment 2", and platforms add numbers and words of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

# What a platform puts behind a column's own name.
_ADDED = re.compile(
    r"\s*(\(\d+\)|\(real\)|\[total pts:[^\]]*\]\s*(\|\d+)?|points grade.*)\s*$", re.IGNORECASE
)
# Columns that take no points, though a lesson's name may stand in them.
_NO_POINTS = re.compile(
    r"\((feedback|percentage|letter)\)$|\b(text grade|(current|final) (score|points|grade))\b",
    re.IGNORECASE,
)
# Words that say that a column is some lesson's, and not which.
_GENERAL = frozenset(
    re.findall(
        r"\w+",
        "a an and assessment assignment chapter course cuda ex exercise for homework hw in l lab "
        "laboratory lesson module no nr number of on p part points practical problem project ps "
        "session set sheet task the to topic unit week",
    )
)
# Words of a column that is no lesson's, though it may be about one.
_OTHER = frozenset(
    re.findall(r"\w+", "attendance exam final midterm participation quiz quizze review survey test")
)
_WORD = re.compile(r"[^\W\d_]+|\d+")

Rank = tuple[int, int, int]  # the name: 3 it is all of the heading, 2 a part, 1 it is not there


def matches(lessons: Mapping[str, str], headings: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """By lesson, the headings that match it best: none, one, or several that match alike.
    `lessons` gives titles by name. A heading that another lesson matches as well is not taken."""
    ranks: dict[str, dict[str, Rank]] = {name: {} for name in lessons}
    for heading in dict.fromkeys(headings):
        found = {name: _rank(heading, name, title) for name, title in lessons.items()}
        best = max(filter(None, found.values()), default=None)
        owners = [name for name, rank in found.items() if rank and rank == best]
        if best and len(owners) == 1:
            ranks[owners[0]][heading] = best
    return {name: _best(found) for name, found in ranks.items()}


def _best(ranks: Mapping[str, Rank]) -> tuple[str, ...]:
    """Those of the highest rank. Neither of two that hold the name is better for being shorter."""
    most = max((rank[:2] for rank in ranks.values()), default=None)
    return tuple(heading for heading, rank in ranks.items() if rank[:2] == most)


def _rank(heading: str, name: str, title: str) -> Rank | None:
    """How well a heading matches a lesson: by its name or title, by its number (1 the same, 0 none,
    -1 another), by how many of its words; None where it is not the lesson's."""
    if _NO_POINTS.search(heading):
        return None
    own = _ADDED.sub("", heading)
    if own.casefold() in (name.casefold(), title.casefold()):
        return (3, 1, len(_words(name)))
    words, (number, *_) = _words(own), [*_numbers(name), None]
    numbers = _numbers(own)
    agrees = 0 if not numbers or number is None else 1 if number in numbers else -1
    held = max((_held(_words(one), words) for one in (name, title)), default=0)
    wanted = {word for one in (name, title) for word in _words(one)}
    if _OTHER & set(words) - wanted:
        return None
    unexplained = len(set(words) - _GENERAL)
    if held and (agrees >= 0 or unexplained <= held):
        return (2, agrees, held)
    return (1, 1, 0) if agrees == 1 and len(numbers) == 1 and not unexplained else None


def _held(wanted: list[str], words: list[str]) -> int:
    """How many words are `wanted`, if all of them stand in `words`, also as one word; else 0."""
    one_word = "".join(wanted) in words and bool(wanted)
    return len(wanted) if one_word or (wanted and set(wanted) <= set(words)) else 0


def _words(text: str) -> list[str]:
    """Without numbers, capitals, and the s of a plural."""
    found = (word.casefold() for word in _WORD.findall(_parted(text)) if not word.isdigit())
    return [word.removesuffix("s") if len(word) > 3 else word for word in found]


def _numbers(text: str) -> list[int]:
    return [int(word) for word in _WORD.findall(_parted(text)) if word.isdigit()]


def _parted(text: str) -> str:
    """With a blank where a small letter meets a capital, as in TreeReduction."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
