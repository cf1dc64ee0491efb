"""Two similar answers beside each other, with the lines that they share marked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...cuda.sanitize import visible
from .similar import Pair


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
    one, other = (_side(names, sources[names[0]], at) for names, at in both)
    return SideBySide(found, (one, other))


def _side(learners: tuple[str, ...], source: str, shared: frozenset[int]) -> Side:
    lines = enumerate(visible(source).split("\n"), start=1)
    return Side(learners, tuple((line, number in shared) for number, line in lines))
