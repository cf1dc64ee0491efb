"""Answers to one exercise that are alike beyond what everybody's are, and two of them beside each
other.

In a small exercise honest answers look alike, so likeness is counted with care: what was handed out
does not count, nor does a passage that more than a few learners have (MOSS ignores such, too), and
a pair is named only when it shares a passage of some length that is most of the shorter answer.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement
from statistics import median_low

from ...cuda.errors import visible
from ...grouped import grouped
from . import statements

LENGTH = 40  # tokens, five lines or so: what a pair must share at the least to be named
SHARE = 0.5  # of what the shorter answer has of its own
SHOWN = 30  # pairs of an exercise
RUN = 12  # tokens of the shortest passage

Run = tuple[str, ...]  # tokens without names, layout and comments


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
    shown = frozenset(run for source in set(handed_out) for run in _runs(_plain(source)))
    by_text = grouped((_plain(source), (name, source)) for name, source in sorted(answers.items()))
    texts, given, few = [*by_text], [*by_text.values()], min(10, max(3, len(answers) // 20))
    own = [frozenset(range(len(text))) - _within(text, shown) for text in texts]
    owners = grouped((run, at) for at, text in enumerate(texts) for run in {*_runs(text)} - shown)
    shared = grouped(
        ((one, other), run)
        for run, having in owners.items()
        if sum(len(given[at]) for at in having) <= few
        for one, other in combinations_with_replacement(having, 2)
        if one != other or len(given[one]) > 1  # several gave one text
    )
    pairs = []
    for (one, other), runs in shared.items():
        covered = [own[at] & _within(texts[at], frozenset(runs)) for at in (one, other)]
        tokens, shorter = min(map(len, covered)), min(len(own[at]) for at in (one, other))
        if tokens >= max(LENGTH, SHARE * shorter):
            both = (given[one][:1], given[one][1:]) if one == other else (given[one], given[other])
            first, second = map(_side, both, covered)
            pairs.append(SimilarAnswers((first, second), tokens, tokens / shorter, one == other))
    return Likeness(
        len(answers),
        length=median_low(len(mine) for mine, alike in zip(own, given, strict=True) for _ in alike),
        same=max(map(len, given)),
        few=few,
        pairs=tuple(sorted(pairs, key=lambda pair: (-pair.share * pair.tokens, pair.learners))),
    )


def _plain(source: str) -> Run:
    return tuple(token.plain for token in statements.tokens(source) if token.plain)


def _runs(text: Run) -> Iterator[Run]:
    return (text[start : start + RUN] for start in range(len(text) - RUN + 1))


def _within(text: Run, runs: frozenset[Run]) -> frozenset[int]:
    """The tokens of a text that are in one of these runs."""
    starts = (start for start, run in enumerate(_runs(text)) if run in runs)
    return frozenset(token for start in starts for token in range(start, start + RUN))


def _side(alike: list[tuple[str, str]], shared: frozenset[int]) -> Side:
    """The answer of those who gave the same text, of which they share these tokens."""
    source = alike[0][1]
    lines = [token.line for token in statements.tokens(source) if token.plain]
    return side(tuple(name for name, _ in alike), source, frozenset(lines[at] for at in shared))
