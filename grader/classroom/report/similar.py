"""Answers to one exercise that are alike beyond what everybody's are, and two of them beside each
other.

In a small exercise honest answers look alike, so likeness is counted with care: what was handed out
does not count, nor does a passage that more than a few learners have (MOSS ignores such, too), and
a pair is named only when it shares a passage of some length that is most of the shorter answer.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from statistics import median_low

from ...cuda.diagnostics import visible
from . import winnowing
from .winnowing import WinnowedText

LENGTH = 40  # tokens, five lines or so: what a pair must share at the least to be named
SHARE = 0.5  # of what the shorter answer has of its own
SHOWN = 30  # pairs of an exercise


@dataclass(frozen=True)
class SimilarAnswers:
    """Two answers that are alike."""

    # Who gave each (the same but for names and layout).
    learners: tuple[tuple[str, ...], tuple[str, ...]]
    tokens: int  # that they share and few others have
    share: float  # of what the shorter answer adds to the skeleton
    lines: tuple[frozenset[int], frozenset[int]]  # of these, in the first learner's source
    same: bool  # both are the same text but for names and layout


@dataclass(frozen=True)
class Likeness:
    """How alike a class's answers to an exercise are."""

    answers: int
    length: int  # what a typical answer adds to the skeleton, in tokens
    same: int  # how many learners have the commonest text, names and layout aside
    few: int  # how many may share a passage before it counts as common
    pairs: tuple[SimilarAnswers, ...]


@dataclass(frozen=True)
class _Given:
    """A text and who gave it."""

    text: WinnowedText
    learners: tuple[str, ...]
    lines: tuple[tuple[int, ...], ...]  # of each learner's tokens, in the same order


def compare(answers: Mapping[str, str], handed_out: Iterable[str]) -> Likeness:
    """The likeness of `answers` (source by learner), `handed_out` being what all were given: the
    skeleton, and the lesson's own kernels. A text that several gave makes a pair with itself."""
    if not answers:
        return Likeness(0, 0, 0, 0, ())
    shown = frozenset().union(*map(winnowing.runs, handed_out))
    read = {source: winnowing.read(source, shown) for source in set(answers.values())}
    texts = {learner: read[answers[learner]] for learner in sorted(answers)}
    few = min(10, max(3, len(texts) // 20))
    learners: dict[tuple[str, ...], list[str]] = {}
    for learner, text in texts.items():
        learners.setdefault(text.tokens, []).append(learner)
    given = [
        _Given(texts[names[0]], tuple(names), tuple(texts[name].lines for name in names))
        for names in learners.values()
    ]
    found = [_pair(given[one], given[other], marks) for (one, other), marks in _sharing(given, few)]
    alike = [pair for pair in found if pair.tokens >= LENGTH and pair.share >= SHARE]
    alike.sort(key=lambda pair: (-pair.share * pair.tokens, pair.learners))
    length = median_low(len(text.own) for text in texts.values())
    same = max(len(each.learners) for each in given)
    return Likeness(len(texts), length, same, few, tuple(alike))


def _sharing(given: list[_Given], few: int) -> Iterable[tuple[tuple[int, int], set[int]]]:
    """By pair of texts (indices), the fingerprints that their learners and at most `few` in all
    have."""
    owners: dict[int, list[int]] = {}
    for index, each in enumerate(given):
        for mark in each.text.fingerprints:
            owners.setdefault(mark, []).append(index)
    shared: dict[tuple[int, int], set[int]] = {}
    for mark, texts in owners.items():
        if sum(len(given[index].learners) for index in texts) <= few:
            several = [(index, index) for index in texts if len(given[index].learners) > 1]
            for pair in [*combinations(texts, 2), *several]:
                shared.setdefault(pair, set()).add(mark)
    return shared.items()


def _pair(one: _Given, other: _Given, marks: set[int]) -> SimilarAnswers:
    covered = [given.text.covered(marks) & given.text.own for given in (one, other)]
    names, lines = (one.learners, other.learners), (one.lines[0], other.lines[0])
    if one is other:
        names, lines = (one.learners[:1], one.learners[1:]), (one.lines[0], one.lines[1])
    tokens = min(map(len, covered))
    shorter = min(len(given.text.own) for given in (one, other))
    first, second = (
        frozenset(at[token] for token in tokens) for at, tokens in zip(lines, covered, strict=True)
    )
    share = tokens / max(shorter, 1)
    return SimilarAnswers(names, tokens, share, (first, second), one is other)


# --- side by side --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """An answer, with the lines marked that it shares with another."""

    learners: tuple[str, ...]  # who gave it
    lines: tuple[tuple[str, bool], ...]  # of the first one's, each with True if it is shared


def side(learners: tuple[str, ...], source: str, shared: frozenset[int]) -> Side:
    lines = enumerate(visible(source).split("\n"), start=1)
    return Side(learners, tuple((line, number in shared) for number, line in lines))


@dataclass(frozen=True)
class SideBySide:
    pair: SimilarAnswers
    sides: tuple[Side, ...]


def side_by_side(pair: SimilarAnswers, sources: Mapping[str, str]) -> SideBySide:
    """The two answers of a pair; `sources` is by learner."""
    both = zip(pair.learners, pair.lines, strict=True)
    return SideBySide(pair, tuple(side(names, sources[names[0]], lines) for names, lines in both))
