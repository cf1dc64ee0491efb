"""Answers to one exercise that are alike beyond what everybody's are.

In a small exercise honest answers look alike, so likeness is counted with care: what was handed out
does not count, nor does a passage that more than a few learners have (MOSS ignores such, too), and
a pair is named only when it shares a passage of some length that is most of the shorter answer.
"""

from __future__ import annotations

from collections import Counter
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
    """Two learners whose answers are alike: how many tokens they share that few others have, which
    share that is of what the shorter answer adds to the skeleton, and the lines it is on."""

    learners: tuple[str, str]
    tokens: int
    share: float
    lines: tuple[frozenset[int], frozenset[int]]


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


def compare(answers: Mapping[str, str], handed_out: Iterable[str]) -> Likeness:
    """The likeness of `answers` (source by learner), `handed_out` being what all were given: the
    skeleton, and the lesson's own kernels."""
    if not answers:
        return Likeness(0, 0, 0, 0, ())
    given = frozenset().union(*map(winnowing.runs, handed_out))
    read = {source: winnowing.read(source, given) for source in set(answers.values())}
    texts = {learner: read[source] for learner, source in answers.items()}
    few = min(10, max(3, len(texts) // 20))
    same = Counter(text.tokens for text in texts.values())
    length = median_low(len(text.own) for text in texts.values())
    return Likeness(len(texts), length, max(same.values()), few, tuple(_pairs(texts, few)))


def _pairs(texts: Mapping[str, Text], few: int) -> list[Pair]:
    """Every pair worth naming, the most alike first."""
    found = (_pair(texts, *names, marks) for names, marks in _sharing(texts, few).items())
    alike = [pair for pair in found if pair.tokens >= LENGTH and pair.share >= SHARE]
    return sorted(alike, key=lambda pair: (-pair.share * pair.tokens, pair.learners))


def _sharing(texts: Mapping[str, Text], few: int) -> dict[tuple[str, str], set[int]]:
    """By pair of learners, the fingerprints that they and at most `few` in all have."""
    owners: dict[int, list[str]] = {}
    for learner in sorted(texts):
        for mark in texts[learner].fingerprints:
            owners.setdefault(mark, []).append(learner)
    shared: dict[tuple[str, str], set[int]] = {}
    for mark, names in owners.items():
        if 2 <= len(names) <= few:
            for pair in combinations(names, 2):
                shared.setdefault(pair, set()).add(mark)
    return shared


def _pair(texts: Mapping[str, Text], one: str, other: str, marks: set[int]) -> Pair:
    both = [texts[learner] for learner in (one, other)]
    covered = [text.covered(marks) & text.own for text in both]
    tokens = min(map(len, covered))
    shorter = min(len(text.own) for text in both)
    lines = tuple(
        frozenset(text.lines[token] for token in tokens)
        for text, tokens in zip(both, covered, strict=True)
    )
    return Pair((one, other), tokens, tokens / max(shorter, 1), lines)
