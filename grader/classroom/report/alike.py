"""Two notebooks that are alike beyond what independent ones are, and why.

What two learners share is evidence as far as few pairs share anything as rare: -log2 of the share
of such pairs, in bits. Looked at are answers (statements in any order, names aside), comments,
names, and white space. Where only some of what could be shared is shared, the bits that it takes to
say which are taken off, as chance had that many ways. Names and comments count no more than they
are rare among those with the same answer, as they may come with it. A pair is named when its bits
are TIMES those that it takes to choose one pair of the class, and MARGIN; or when those of a single
exercise are ONE more than it takes to choose a pair. These three are from classes that
tests/made_class.py makes. What was handed out is no evidence, and what most have is little.

And answers to one exercise that are alike beyond what everybody's are. In a small exercise honest
answers look alike, so this is counted with care: what was handed out does not count, nor does a
passage that more than a few learners have (MOSS ignores such, too), and a pair is named only when
it shares passages of some length that are most of the shorter answer.

For both, sources are taken apart, into tokens and into statements: what two of them have in common,
whatever their names, layout and comments; and what in an answer is its learner's own.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement
from math import comb, log2
from statistics import median_low
from typing import NamedTuple, Self

import numpy as np

from ...compilers.lexer import parts
from ...cuda.errors import visible
from ...errors import some
from ...grouped import grouped

NAME = "name"  # what stands for every name that a learner could have chosen otherwise
_NO_NAMES = frozenset(
    re.findall(
        r"\w+",
        "auto blockDim blockIdx bool break case char class const constexpr continue default do "
        "double else extern false float for gridDim if inline int long return short signed sizeof "
        "static struct switch template threadIdx true typename unsigned using void volatile "
        "warpSize while",
    )
)
_BEFORE = frozenset(
    re.findall(r"\w+", "auto bool char const double float int long short unsigned volatile")
) | {NAME, "*", "&"}


class SourceToken(NamedTuple):
    """A token of a source, or a comment."""

    text: str
    plain: str  # without what can be changed at no cost; empty: it is a comment
    line: int  # from 1
    space: str  # white space before it


def tokens(source: str) -> Iterator[SourceToken]:
    """The source's tokens and comments."""
    end = 0
    for match, line in parts(source):
        text = plain = match.group()
        if match.lastgroup == "comment":
            plain = ""
        elif match.lastgroup == "word" and text not in _NO_NAMES and not text.startswith("__"):
            plain = NAME
        elif match.lastgroup == "number" and not text.lower().startswith("0x"):
            plain = text.lower().rstrip("ful")
        yield SourceToken(text, plain, line, source[end : match.start()])
        end = match.end()


@dataclass(frozen=True)
class SourceStatement:
    """A statement, or what stands before a brace."""

    tokens: tuple[str, ...]  # with `NAME` for each name
    names: tuple[str, ...]
    declared: frozenset[str]  # those of the names that it declares
    spaces: tuple[str, ...]  # the white space before each token
    lines: tuple[int, int]  # the first and the last, from 1

    @classmethod
    def of(cls, tokens: list[SourceToken]) -> Self:
        plain = tuple(token.plain for token in tokens)
        return cls(
            plain,
            tuple(token.text for token in tokens if token.plain == NAME),
            frozenset(
                token.text
                for before, token, after in zip(tokens, tokens[1:], plain[2:], strict=False)
                if token.plain == NAME and before.plain in _BEFORE and after in frozenset("=;,[):")
            ),
            tuple(token.space for token in tokens),
            (tokens[0].line, tokens[-1].line),
        )


def _statements(source: str) -> tuple[list[SourceStatement], set[str]]:
    """The source's statements, and the words of its comments."""
    statements, comments = [], set()
    left: list[SourceToken] = []  # of a statement whose end is to come
    for token in tokens(source):
        if token.plain:
            left.append(token)
        elif words := " ".join(re.sub(r"^\W+|[/*\s]+$", "", token.text).split()):
            comments.add(words)
        if token.text in {";", "{", "}"}:
            statements.append(SourceStatement.of(left))
            left = []
    if left:
        statements.append(SourceStatement.of(left))
    return statements, comments


@dataclass(frozen=True)
class GivenCode:
    """The code that everybody was given."""

    statements: frozenset[tuple[str, ...]]  # with `NAME` for names
    names: frozenset[str]
    comments: frozenset[str]

    @classmethod
    def of(cls, sources: Iterable[str]) -> Self:
        taken_apart = [_statements(source) for source in set(sources)]
        statements = [each for found, _ in taken_apart for each in found]
        return cls(
            frozenset(each.tokens for each in statements),
            frozenset(name for each in statements for name in each.names),
            frozenset(words for _, comments in taken_apart for words in comments),
        )


@dataclass(frozen=True)
class OwnAnswer:
    """The part of an answer that is the learner's own."""

    statements: tuple[SourceStatement, ...]
    names: frozenset[str]
    comments: frozenset[str]
    failed: str  # the answer's status if it failed

    @classmethod
    def of(cls, source: str, failed: str, given: GivenCode) -> Self:
        found, comments = _statements(source)
        own = tuple(each for each in found if each.tokens not in given.statements)
        names = frozenset(name for each in own for name in each.declared) - given.names
        return cls(own, names, frozenset(comments) - given.comments, failed)

    @property
    def text(self) -> tuple[tuple[str, ...], ...]:
        """The statements, names aside."""
        return tuple(each.tokens for each in self.statements)

    @property
    def set(self) -> tuple[tuple[str, ...], ...]:
        """The statements, names and order aside."""
        return tuple(sorted(self.text))

    @property
    def layout(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """The statements with the white space in them, names and order aside."""
        return tuple(sorted((each.tokens, each.spaces) for each in self.statements))

    def lines(self, other: "OwnAnswer") -> frozenset[int]:
        """The lines of the statements that the other has, too."""
        theirs = {*other.text}
        shared = [each.lines for each in self.statements if each.tokens in theirs]
        return frozenset(line for first, last in shared for line in range(first, last + 1))

    def renamed(self, other: "OwnAnswer") -> dict[str, str]:
        """The words by which the names are called in the other, where it is something else
        throughout; the statements that both have are taken in their order."""
        places = grouped((statement.tokens, statement) for statement in other.statements)
        called = grouped(
            pair
            for statement in self.statements
            if (same := places.get(statement.tokens))
            for pair in zip(statement.names, same.pop(0).names, strict=True)
        )
        return {
            name: theirs[0]
            for name, theirs in called.items()
            if len({*theirs}) == 1 and name not in theirs
        }


# --- what two notebooks share --------------------------------------------------------------------

TIMES, MARGIN = 1.6, 8  # the bits to name a pair: so many times those to choose one, and some more
ONE = 6  # the same for a single exercise
WRONG = 1.1  # how much more the same wrong answer says than the same right one
ALONE = 0.5  # how much less the same answer says without a comment, name or white space in common
A_LETTER = {"comment": 0.2, "name": 0.6}  # bits, at the most: short ones come to many
SHOWN_WORDS = 3  # comments, or names, of an exercise
FEW = 3  # who have the same answer, beside a pair, to tell what goes with that answer

LENGTH = 40  # tokens, five lines or so: what two answers must share at the least to be named
SHARE = 0.5  # of what the shorter answer has of its own
SHOWN = 30  # pairs of an exercise
RUN = 12  # tokens of the shortest passage

Given = Mapping[str, Mapping[str, tuple[str, str]]]  # by learner and exercise: source, status
Run = tuple[str, ...]  # tokens without names, layout and comments
Feature = tuple[str, str, object]  # what kind, the exercise or "", and what it is


@dataclass(frozen=True)
class Shared:
    """All that two answers to an exercise share, with the bits of it."""

    answer: float  # bits of all statements
    failed: str  # the status of both, if they failed
    layout: float  # bits of the white space
    comments: Mapping[str, float]  # each with its bits
    names: Mapping[str, float]  # each with its bits
    most: tuple[int, int]  # how many comments and names both could share
    reordered: bool  # the statements are in another order
    renamed: Mapping[str, str]  # what the first one's names are called by the other
    # Where in both sources the same statements stand.
    lines: tuple[frozenset[int], frozenset[int]]

    def bits(self, counted: set[object]) -> float:
        """The bits of all of it, but for words that are `counted` already; these are then, too."""
        total = self.answer * (1 if self.layout or self.comments or self.names else ALONE) + (
            0.0 if "layout" in counted else self.layout
        )
        for words, most in zip((self.comments, self.names), self.most, strict=True):
            total += _surprise(
                (worth for word, worth in words.items() if word not in counted), most
            )
            counted.update(words)
        counted |= {"layout"} if self.layout else set()
        return total


@dataclass(frozen=True)
class AlikeNotebooks:
    """Two learners whose notebooks are alike."""

    learners: tuple[str, str]
    bits: float  # that speak against chance
    most: float  # of these in one exercise
    shared: Mapping[str, Shared]  # by exercise

    def reasons(self) -> Iterator[str]:
        """All that both have in common, the most telling first."""
        for form, told in _REASONS:
            said = {name: what for name, it in self.shared.items() if (what := told(it))}
            reasons = [(", ".join(said),)] if True in said.values() else said.items()
            yield from (form.format(*reason) for reason in reasons)


def compare(
    notebooks: Given, handed_out: Iterable[str], varied: bool = False
) -> list[AlikeNotebooks]:
    """The pairs of `notebooks` that are named, the most alike first. `handed_out`: sources that
    everybody was given; the status of an answer that is right is empty. If learners have `varied`
    exercises, sources are compared without indices."""
    # Variants differ in what stands in brackets within a line.
    common = partial(re.sub, r"\[[^][\n]*\]", "[]") if varied else str
    given = GivenCode.of(map(common, handed_out))
    group = _Group(
        {
            learner: {
                name: OwnAnswer.of(common(source), failed, given)
                for name, (source, failed) in answers.items()
            }
            for learner, answers in notebooks.items()
        }
    )
    one_pair = log2(max(1, comb(len(notebooks), 2)))
    least, single = TIMES * one_pair + MARGIN, one_pair + ONE
    pairs = (group.pair(one, other) for one, other in group.likely(min(least, single)))
    return sorted(
        (pair for pair in pairs if pair.bits >= least or pair.most >= single),
        key=lambda pair: (-pair.bits, pair.learners),
    )


class _Group:
    """A class's answers by learner and exercise, and who has which feature."""

    def __init__(self, read: Mapping[str, Mapping[str, OwnAnswer]]):
        self.read = read
        having = grouped(
            (feature, learner)
            for learner, answers in read.items()
            for name, answer in answers.items()
            for feature in _features(name, answer)
        )
        self.owners = {feature: set(whose) for feature, whose in having.items()}
        # What it says that two learners with the same text have the same white space, too: most
        # have one of a few habits in all of their answers.
        pairs, alike = Counter[str](), Counter[tuple[str, str, int]]()
        for (kind, name, _), whose in self.owners.items():
            pairs[kind] += comb(len(whose), 2)
            alike[kind, name, len(whose)] += 1
        self.layout = log2((pairs["answer"] + 1) / (pairs["layout"] + 1))
        # Of all pairs, by kind, exercise and number of owners, the share that has something in
        # common which so many or fewer own.
        self.chance: dict[tuple[str, str, int], float] = {}
        so_far = Counter[tuple[str, str]]()
        for (kind, name, owners), features in sorted(alike.items()):
            so_far[kind, name] += features * comb(owners, 2)
            self.chance[kind, name, owners] = so_far[kind, name] / max(1, comb(len(read), 2))

    def surprise(self, feature: Feature) -> float:
        """The bits of a feature that two learners share, by how many pairs share one as rare."""
        return max(0.0, -log2(self.chance[*feature[:2], len(self.owners[feature])]))

    def likely(self, least: float) -> list[tuple[str, str]]:
        """The pairs that could have so many bits: those of all features that they share."""
        learners = sorted(self.read)
        place = {learner: at for at, learner in enumerate(learners)}
        known = [
            (kind, name, what)
            for (kind, name, what), whose in self.owners.items()
            if name and kind != "layout" and len(whose) > 1
        ]
        has = np.zeros((len(learners), len(known)), np.float32)
        for at, feature in enumerate(known):
            worth = self.surprise(feature) * (WRONG if feature[0] == "answer" else 1)
            has[[place[one] for one in self.owners[feature]], at] = worth**0.5
        ones, others = np.nonzero(np.triu(has @ has.T, 1) >= least - self.layout)
        return [(learners[one], learners[other]) for one, other in zip(ones, others, strict=True)]

    def bits(self, feature: Feature, given: Feature | None = None) -> float:
        """The bits that speak when two learners share a feature: among all or, where they are not
        few, among those who share the `given` one, too."""
        among = self.owners[given] if given else set()
        among = among if len(among) >= FEW + 2 else set(self.read)
        return log2((len(among) - 1) / max(1, len(self.owners[feature] & among) - 1))

    def pair(self, one: str, other: str) -> AlikeNotebooks:
        both = [name for name in self.read[one] if name in self.read[other]]
        shared = {
            name: self._shared(name, self.read[one][name], self.read[other][name]) for name in both
        }
        counted: set[object] = set()  # which `bits` adds to
        worth = {
            name: shared[name].bits(counted)
            for name in sorted(both, key=lambda name: -shared[name].answer)
        }
        return AlikeNotebooks(
            (one, other),
            _surprise(worth.values(), len(both)),
            max(worth.values(), default=0.0),
            {name: shared[name] for name in both if worth[name] >= 1},
        )

    def _shared(self, name: str, ours: OwnAnswer, theirs: OwnAnswer) -> Shared:
        """All that two answers to one exercise share."""
        same = bool(ours.set) and ours.set == theirs.set
        failed = ours.failed if same and ours.failed == theirs.failed else ""
        given = ("answer", name, ours.set) if same else None
        return Shared(
            self.surprise(given) * (WRONG if failed else 1) if given else 0.0,
            failed,
            self.layout if same and ours.layout == theirs.layout else 0.0,
            self._words("comment", name, ours.comments & theirs.comments, given),
            self._words("name", name, ours.names & theirs.names, given),
            (
                min(len(ours.comments), len(theirs.comments)),
                min(len(ours.names), len(theirs.names)),
            ),
            same and ours.text != theirs.text,
            ours.renamed(theirs) if same else {},
            (ours.lines(theirs), theirs.lines(ours)),
        )

    def _words(
        self, kind: str, name: str, words: frozenset[str], given: Feature | None
    ) -> dict[str, float]:
        """The bits of each comment or name that two answers share: as far as it is rare in this
        exercise, and in the class."""
        return {
            word: min(
                self.surprise((kind, name, word)),
                self.bits((kind, name, word), given),
                self.bits((kind, "", word)),
                A_LETTER[kind] * len(word),
            )
            for word in sorted(words)
        }


def _features(name: str, answer: OwnAnswer) -> set[Feature]:
    said: set[Feature] = {
        (kind, where, word)
        for kind, words in (("comment", answer.comments), ("name", answer.names))
        for where in (name, "")
        for word in words
    }
    answers: set[Feature] = {("answer", name, answer.set), ("layout", name, answer.layout)}
    return said | answers if answer.statements else said


def _surprise(bits: Iterable[float], most: int) -> float:
    """The bits of the best so many of them, less those that it takes to choose as many of the
    `most` that there could be."""
    total, best = 0.0, 0.0
    for count, worth in enumerate(sorted(bits, reverse=True), 1):
        total += worth
        best = max(best, total - log2(comb(max(most, count), count)))
    return best


# --- why -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """An answer, with the lines marked that it shares with another."""

    learners: tuple[str, ...]  # who gave it
    lines: tuple[tuple[str, bool], ...]  # of the first one's, each with True if it is shared


def side(learners: tuple[str, ...], source: str, shared: frozenset[int]) -> Side:
    lines = enumerate(visible(source).split("\n"), start=1)
    return Side(learners, tuple((line, number in shared) for number, line in lines))


def side_by_side(found: AlikeNotebooks, sources: Given) -> dict[str, tuple[Side, ...]]:
    """The answers of a pair, by exercise; `sources` is what was compared."""
    return {
        name: tuple(
            side((learner,), sources[learner][name][0], lines)
            for learner, lines in zip(found.learners, shared.lines, strict=True)
        )
        for name, shared in found.shared.items()
    }


def _some(words: Mapping[str, float], form: str) -> str:
    """The rarest of them, and how many more there are."""
    return some(
        [form.format(visible(word)) for word in sorted(words, key=lambda word: -words[word])],
        SHOWN_WORDS,
    )


# By what is said of two notebooks, an exercise's details, which make a reason of their own; or True
# for each exercise of which it holds.
_REASONS: tuple[tuple[str, Callable[[Shared], str | bool]], ...] = (
    ("the same wrong answer in {} ({})", lambda it: it.failed.replace("_", " ")),
    ("the same right answer in {}", lambda it: it.answer >= 1 and not it.failed),
    ("the same comments in {}: {}", lambda it: _some(it.comments, "“{}”")),
    ("the same names in {}: {}", lambda it: _some(it.names, "{}")),
    (
        "renamed {1} in {0}",
        lambda it: ", ".join(
            [f"{one} to {other}" for one, other in it.renamed.items()][:SHOWN_WORDS]
        ),
    ),
    ("the statements in another order in {}", lambda it: it.reordered),
    ("the same white space in {}", lambda it: bool(it.layout)),
)


# --- answers to one exercise ---------------------------------------------------------------------


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


def compare_answers(answers: Mapping[str, str], handed_out: Iterable[str]) -> Likeness:
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
        shares, shorter = min(map(len, covered)), min(len(own[at]) for at in (one, other))
        if shares >= max(LENGTH, SHARE * shorter):
            both = (given[one][:1], given[one][1:]) if one == other else (given[one], given[other])
            first, second = map(_side, both, covered)
            pairs.append(SimilarAnswers((first, second), shares, shares / shorter, one == other))
    return Likeness(
        len(answers),
        length=median_low(len(mine) for mine, alike in zip(own, given, strict=True) for _ in alike),
        same=max(map(len, given)),
        few=few,
        pairs=tuple(sorted(pairs, key=lambda pair: (-pair.share * pair.tokens, pair.learners))),
    )


def _plain(source: str) -> Run:
    return tuple(token.plain for token in tokens(source) if token.plain)


def _runs(text: Run) -> Iterator[Run]:
    return (text[start : start + RUN] for start in range(len(text) - RUN + 1))


def _within(text: Run, runs: frozenset[Run]) -> frozenset[int]:
    """The tokens of a text that are in one of these runs."""
    starts = (start for start, run in enumerate(_runs(text)) if run in runs)
    return frozenset(token for start in starts for token in range(start, start + RUN))


def _side(alike: list[tuple[str, str]], shared: frozenset[int]) -> Side:
    """The answer of those who gave the same text, of which they share these tokens."""
    source = alike[0][1]
    lines = [token.line for token in tokens(source) if token.plain]
    return side(tuple(name for name, _ in alike), source, frozenset(lines[at] for at in shared))
