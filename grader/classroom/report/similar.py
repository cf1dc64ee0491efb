"""Answers to one exercise that are alike beyond what everybody's are, and two of them beside each
other.

In a small exercise honest answers look alike, so likeness is counted with care: what was handed out
does not count, nor does a passage that more than a few learners have (MOSS ignores such, too), and
a pair is named only when it shares a passage of some length that is most of the shorter answer.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement
from statistics import median_low

from ...cuda.errors import visible
from ...grouped import grouped
from . import winnowing

LENGTH = 40  # tokens, five lines or so: what a pair must share at the least to be named
SHARE = 0.5  # of what the shorter answer has of its own
SHOWN = 30  # pairs of an exercise

SameText = list[tuple[str, str]]  # those who gave the same text, each with the source of it


@dataclass(frozen=True)
class Side:
    """An answer, with the lines marked that it shares with another."""

    learners: tuple[str, ...]  # who gave it
    lines: tuple[tuple[str, bool], ...]  # of the first one's, each with True if it is shared


def side(learners: tuple[str, ...], source: str, shared: frozenset[int]) -> Side:
    lines = enumerate(visible(source).split("\n"), start=1)
    return Side(learners, tuple((line, number in shared) for number, line in lines))


@dataclass(frozen=True)
class SimilarAnswers:
    """Two answers that are alike, the same but for names and layout by all learners of a side."""

    sides: tuple[Side, Side]
    tokens: int  # that they share and few others have
    share: float  # of what the shorter answer adds to the skeleton
    same: bool  # both are the same text but for names and layout

    @property
    def learners(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self.sides[0].learners, self.sides[1].learners


@dataclass(frozen=True)
class Likeness:
    """How alike a class's answers to an exercise are."""

    answers: int
    length: int  # what a typical answer adds to the skeleton, in tokens
    same: int  # how many learners have the commonest text, names and layout aside
    few: int  # how many may share a passage before it counts as common
    pairs: tuple[SimilarAnswers, ...]


def compare(answers: Mapping[str, str], handed_out: Iterable[str]) -> Likeness:
    """The likeness of `answers` (source by learner), `handed_out` being what all were given: the
    skeleton, and the lesson's own kernels. A text that several gave makes a pair with itself."""
    if not answers:
        return Likeness(0, 0, 0, 0, ())
    shown = frozenset().union(*map(winnowing.runs, handed_out))
    read = {source: winnowing.read(source, shown) for source in set(answers.values())}
    by_text = grouped(
        (read[source].tokens, (learner, source)) for learner, source in sorted(answers.items())
    )
    given, few = list(by_text.values()), min(10, max(3, len(answers) // 20))
    pairs = (
        _pair(given[one], given[other], marks, read)
        for (one, other), marks in _sharing(given, [read[alike[0][1]] for alike in given], few)
    )
    alike = sorted(filter(None, pairs), key=lambda pair: (-pair.share * pair.tokens, pair.learners))
    return Likeness(
        len(answers),
        length=median_low(len(read[source].own) for source in answers.values()),
        same=max(map(len, given)),
        few=few,
        pairs=tuple(alike),
    )


def _sharing(
    given: list[SameText], texts: list[winnowing.WinnowedText], few: int
) -> Iterable[tuple[tuple[int, int], list[int]]]:
    """The fingerprints that two texts (indices) share and that at most `few` learners have."""
    owners = grouped((mark, at) for at, text in enumerate(texts) for mark in text.fingerprints)
    rare = {
        mark: having
        for mark, having in owners.items()
        if sum(len(given[index]) for index in having) <= few
    }
    return grouped(
        ((one, other), mark)
        for mark, having in rare.items()
        for one, other in combinations_with_replacement(having, 2)
        if one != other or len(given[one]) > 1  # several gave one text
    ).items()


def _pair(
    one: SameText, other: SameText, marks: list[int], read: Mapping[str, winnowing.WinnowedText]
) -> SimilarAnswers | None:
    """Two texts that share these marks; None if that is too little to name them."""
    both = (one[:1], one[1:]) if one is other else (one, other)
    texts = [read[alike[0][1]] for alike in both]
    covered = [text.covered(marks) & text.own for text in texts]
    tokens, shorter = min(map(len, covered)), min(len(text.own) for text in texts)
    share = tokens / max(shorter, 1)
    if tokens < LENGTH or share < SHARE:
        return None
    first, second = (
        side(
            tuple(learner for learner, _ in alike),
            alike[0][1],
            frozenset(text.lines[token] for token in shared),
        )
        for alike, text, shared in zip(both, texts, covered, strict=True)
    )
    return SimilarAnswers((first, second), tokens, share, one is other)
