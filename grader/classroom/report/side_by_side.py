"""Two similar answers beside each other, with the lines that they share marked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .similar import Pair

# Characters that are not seen but change what is: escapes of a terminal, changes of direction.
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


@dataclass(frozen=True)
class Side:
    """An answer: who gave it, and each line of the first one's with whether it is shared."""

    learners: tuple[str, ...]
    lines: tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class SideBySide:
    pair: Pair
    sides: tuple[Side, Side]


def pair(found: Pair, sources: Mapping[str, str]) -> SideBySide:
    """The two answers of a pair; `sources` is by learner."""
    both = zip(found.learners, found.lines, strict=True)
    return SideBySide(found, tuple(_side(names, sources[names[0]], at) for names, at in both))


def visible(text: str) -> str:
    """`text` with a mark for each character that one would not see."""
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", text)


def _side(learners: tuple[str, ...], source: str, shared: frozenset[int]) -> Side:
    lines = enumerate(visible(source).split("\n"), start=1)
    return Side(learners, tuple((line, number in shared) for number, line in lines))
