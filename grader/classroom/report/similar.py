"""Answers to one exercise that are alike beyond what everybody's are.

In a small exercise honest answers look alike, so likeness is counted with care: what was handed out
does not count, nor does a passage that more than a few learners have (MOSS ignores such, too), and
a pair is named only when it shares a passage of some length that is most of the shorter answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from statistics import median_low

from . import winnowing
from .winnowing import Text

LENGTH = 40  # tokens, five lines or so: what a pair must share at the least to be named
SHARE = 0.5  # of what the shorter answer has of its own
SHOWN = 30  # pairs of an exercise


@dataclass(frozen=True)
class Pair:
    """Two answers that are alike, each with the learners who gave it (the same but for names and
    layout): how many tokens they share that few others have, which share that is of what the
    shorter answer adds to the skeleton, the lines it is on in the first learner's source, and
    whether both are the same text but for names and layout."""

    learners: tuple[tuple[str, ...], tuple[str, ...]]
    tokens: int
    share: float
    lines: tuple[frozenset[int], frozenset[int]]
    same: bool


@dataclass(frozen=True)
class Likeness:
    """How alike a class's `answers` to an exercise are. `length` is what a typical answer adds to
    the skeleton, in tokens; `same` how many learners have the commonest text, names and layout
    aside; `few` how many may share a passage before it counts as common."""

    answers: int
    length: int
    same: int
    few: int
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class _Given:
    """A text and who gave it; `lines` are those of each learner's tokens, in the same order."""

    text: Text
    learners: tuple[str, ...]
    lines: tuple[tuple[int, ...], ...]


def compare(answers: Mapping[str, str], handed_out: Iterable[str]) -> Likeness:
    """The likeness of `answers` (source by learner), `handed_out` being what all were given: the
    skeleton, and the lesson's own kernels."""
    if not answers:
        return Likeness(0, 0, 0, 0, ())
    shown = frozenset().union(*map(winnowing.runs, handed_out))
    read = {source: winnowing.read(source, shown) for source in set(answers.values())}
    texts = {learner: read[answers[learner]] for learner in sorted(answers)}
    few = min(10, max(3, len(texts) // 20))
    given = _given(texts)
    length = median_low(len(text.own) for text in texts.values())
    same = max(len(one.learners) for one in given)
    return Likeness(len(texts), length, same, few, tuple(_pairs(given, few)))


def _given(texts: Mapping[str, Text]) -> list[_Given]:
    """The different texts."""
    learners: dict[tuple[str, ...], list[str]] = {}
    for learner, text in texts.items():
        learners.setdefault(text.tokens, []).append(learner)
    return [
        _Given(texts[names[0]], tuple(names), tuple(texts[name].lines for name in names))
        for names in learners.values()
    ]


def _pairs(given: list[_Given], few: int) -> list[Pair]:
    """Every pair worth naming, the most alike first; a text that several gave makes one with
    itself."""
    found = (_pair(given[one], given[other], marks) for (one, other), marks in _sharing(given, few))
    alike = [pair for pair in found if pair.tokens >= LENGTH and pair.share >= SHARE]
    return sorted(alike, key=lambda pair: (-pair.share * pair.tokens, pair.learners))


def _sharing(given: list[_Given], few: int) -> Iterable[tuple[tuple[int, int], set[int]]]:
    """By pair of texts (indices), the fingerprints that their learners and at most `few` in all
    have."""
    owners: dict[int, list[int]] = {}
    for index, one in enumerate(given):
        for mark in one.text.fingerprints:
            owners.setdefault(mark, []).append(index)
    shared: dict[tuple[int, int], set[int]] = {}
    for mark, texts in owners.items():
        if sum(len(given[index].learners) for index in texts) <= few:
            several = [(index, index) for index in texts if len(given[index].learners) > 1]
            for pair in [*combinations(texts, 2), *several]:
                shared.setdefault(pair, set()).add(mark)
    return shared.items()


def _pair(one: _Given, other: _Given, marks: set[int]) -> Pair:
    covered = [given.text.covered(marks) & given.text.own for given in (one, other)]
    names = (one.learners, other.learners)
    lines = (one.lines[0], other.lines[0])
    if one is other:
        names = (one.learners[:1], one.learners[1:])
        lines = (one.lines[0], one.lines[1])
    tokens = min(map(len, covered))
    shorter = min(len(given.text.own) for given in (one, other))
    first, second = (
        frozenset(at[token] for token in tokens) for at, tokens in zip(lines, covered, strict=True)
    )
    return Pair(names, tokens, tokens / max(shorter, 1), (first, second), one is other)
