"""Two similar answers, or notebooks, beside each other, with the lines that they share marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...cuda.sanitize import visible
from .alike import AlikeNotebooks, Given
from .similar import Pair

SHOWN_WORDS = 3  # comments, or names, of an exercise


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


@dataclass(frozen=True)
class SimilarNotebooks:
    """A pair, why it is one, and by exercise its answers."""

    pair: AlikeNotebooks
    reasons: tuple[str, ...]
    sides: Mapping[str, tuple[Side, Side]]


def notebooks(found: AlikeNotebooks, sources: Given) -> SimilarNotebooks:
    """The two notebooks of a pair; `sources` is what was compared."""
    one, other = found.learners
    sides = {
        name: (
            _side((one,), sources[one][name][0], shared.lines[0]),
            _side((other,), sources[other][name][0], shared.lines[1]),
        )
        for name, shared in found.shared.items()
    }
    return SimilarNotebooks(found, tuple(_reasons(found)), sides)


def _reasons(found: AlikeNotebooks) -> Iterator[str]:
    """What both have in common, the most telling first."""
    shared = found.shared
    for name, it in shared.items():
        if it.failed:
            yield f"the same wrong answer in {name} ({it.failed.replace('_', ' ')})"
    right = [name for name, it in shared.items() if it.answer >= 1 and not it.failed]
    if right:
        yield f"the same right answer in {', '.join(right)}"
    for name, it in shared.items():
        if it.comments:
            yield f"the same comments in {name}: {_some(it.comments, '“{}”')}"
    for name, it in shared.items():
        if it.names:
            yield f"the same names in {name}: {_some(it.names, '{}')}"
    for name, it in shared.items():
        if it.renamed:
            pairs = [f"{ours} to {theirs}" for ours, theirs in it.renamed.items()]
            yield f"renamed {', '.join(pairs[:SHOWN_WORDS])} in {name}"
    if reordered := [name for name, it in shared.items() if it.reordered]:
        yield f"the statements in another order in {', '.join(reordered)}"
    if spaced := [name for name, it in shared.items() if it.layout]:
        yield f"the same white space in {', '.join(spaced)}"


def _some(words: Mapping[str, float], form: str) -> str:
    """The rarest of them, and how many more there are."""
    ranked = sorted(words, key=lambda word: -words[word])
    more = len(ranked) - SHOWN_WORDS
    told = ", ".join(form.format(visible(word)) for word in ranked[:SHOWN_WORDS])
    return told + (f" and {more} more" if more > 0 else "")


def _side(learners: tuple[str, ...], source: str, shared: frozenset[int]) -> Side:
    lines = enumerate(visible(source).split("\n"), start=1)
    return Side(learners, tuple((line, number in shared) for number, line in lines))
