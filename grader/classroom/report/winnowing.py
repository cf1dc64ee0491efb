"""CUDA sources taken apart: what two of them have in common, whatever their names, layout and
comments; and what in an answer is its learner's own.

Winnowing, after Schleimer, Wilkerson and Aiken: "Winnowing: Local Algorithms for Document
Fingerprinting", SIGMOD 2003, the method behind MOSS. Of the hashes of all runs of `RUN` tokens
the least in every window of `WINDOW` is kept as a fingerprint. Two sources that share a passage of
RUN + WINDOW - 1 tokens have a fingerprint in common; one shorter than RUN leaves none.

The hashes are those of the text itself, so that the same class gives the same report every time.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple, Self

from ...compilers.lexer import parts
from ...grouped import grouped

RUN = 12
WINDOW = 5

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
_AFTER = frozenset("=;,[):")
_SIGNS = re.compile(r"^\W+|[/*\s]+$")  # around the words of a comment


class SourceToken(NamedTuple):
    """A token of a source, or a comment."""

    text: str
    plain: str  # without what can be changed at no cost; empty: it is a comment
    line: int  # from 1
    space: str  # white space before it


def _tokens(source: str) -> Iterator[SourceToken]:
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


# --- fingerprints --------------------------------------------------------------------------------


@dataclass(frozen=True)
class WinnowedText:
    """A source as winnowing sees it."""

    tokens: tuple[str, ...]
    lines: tuple[int, ...]  # of each token, from 1
    fingerprints: dict[int, tuple[int, ...]]  # the places (token indices) of each
    own: frozenset[int]  # the tokens in no run that was handed out

    def covered(self, fingerprints: Iterable[int]) -> frozenset[int]:
        """The tokens in the runs that `fingerprints` stand for."""
        return _covered(place for mark in fingerprints for place in self.fingerprints[mark])


def read(source: str, handed_out: frozenset[int] = frozenset()) -> WinnowedText:
    """Take a source apart; runs in `handed_out` (see `runs`) leave no fingerprint."""
    tokens = [token for token in _tokens(source) if token.plain]
    hashes = _hashes(tokens)
    starts = range(max(1, len(hashes) - WINDOW + 1) if hashes else 0)
    windows = (range(start, min(start + WINDOW, len(hashes))) for start in starts)
    # Of each window the least hash, the rightmost one where there are several.
    least = (min(window, key=lambda place: (hashes[place], -place)) for window in windows)
    places = grouped(
        (hashes[place], place) for place in dict.fromkeys(least) if hashes[place] not in handed_out
    )
    return WinnowedText(
        tuple(token.plain for token in tokens),
        tuple(token.line for token in tokens),
        {mark: tuple(at) for mark, at in places.items()},
        frozenset(range(len(tokens)))
        - _covered(place for place, mark in enumerate(hashes) if mark in handed_out),
    )


def runs(source: str) -> frozenset[int]:
    """The hashes of all runs of a source that everybody was given."""
    return frozenset(_hashes([token for token in _tokens(source) if token.plain]))


def _hashes(tokens: list[SourceToken]) -> list[int]:
    """The hash of the run that begins at each token."""
    texts = [token.plain for token in tokens]
    starts = range(len(tokens) - RUN + 1)
    joined = ("\n".join(texts[start : start + RUN]).encode() for start in starts)
    return [int.from_bytes(blake2b(run, digest_size=8).digest()) for run in joined]


def _covered(places: Iterable[int]) -> frozenset[int]:
    return frozenset(token for place in places for token in range(place, place + RUN))


# --- statements ----------------------------------------------------------------------------------


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
        declared = {
            token.text
            for before, token, after in zip(tokens, tokens[1:], plain[2:], strict=False)
            if token.plain == NAME and before.plain in _BEFORE and after in _AFTER
        }
        return cls(
            plain,
            tuple(token.text for token in tokens if token.plain == NAME),
            frozenset(declared),
            tuple(token.space for token in tokens),
            (tokens[0].line, tokens[-1].line),
        )


def _statements(source: str) -> tuple[list[SourceStatement], set[str]]:
    """The source's statements, and the words of its comments."""
    statements, comments = [], set()
    tokens: list[SourceToken] = []
    for token in _tokens(source):
        if token.plain:
            tokens.append(token)
        elif words := " ".join(_SIGNS.sub("", token.text).split()):
            comments.add(words)
        if token.text in {";", "{", "}"}:
            statements.append(SourceStatement.of(tokens))
            tokens = []
    if tokens:
        statements.append(SourceStatement.of(tokens))
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
