"""An answer taken apart for `alike`: what in it is the learner's own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...compilers.lexer import TOKEN
from .winnowing import NAME, plain

_ENDS = frozenset(";{}")
_AFTER = frozenset("=;,[):")
_TYPES = frozenset(
    re.findall(r"\w+", "auto bool char const double float int long short unsigned volatile")
)
_SIGNS = re.compile(r"^\W+|[/*\s]+$")


@dataclass(frozen=True)
class Statement:
    """A statement, or what stands before a brace: its tokens with `NAME` for each name, those
    names, which of them it declares, the white space before each token, and its first and last line
    (from 1)."""

    tokens: tuple[str, ...]
    names: tuple[str, ...]
    declared: frozenset[str]
    spaces: tuple[str, ...]
    lines: tuple[int, int]


@dataclass(frozen=True)
class HandedOut:
    """What everybody was given: statements with `NAME` for names, names, and comments."""

    statements: frozenset[tuple[str, ...]]
    names: frozenset[str]
    comments: frozenset[str]

    @staticmethod
    def of(sources: Iterable[str]) -> HandedOut:
        statements: list[Statement] = []
        comments: list[str] = []
        for source in set(sources):
            statements += _statements(source, comments)
        names = frozenset(name for one in statements for name in one.names)
        return HandedOut(frozenset(one.tokens for one in statements), names, frozenset(comments))


@dataclass(frozen=True)
class OwnAnswer:
    """What of a source is the learner's own; `failed` is its status if it failed."""

    statements: tuple[Statement, ...]
    names: frozenset[str]
    comments: frozenset[str]
    failed: str

    @property
    def text(self) -> tuple[tuple[str, ...], ...]:
        """The statements, names aside."""
        return tuple(one.tokens for one in self.statements)

    @property
    def set(self) -> tuple[tuple[str, ...], ...]:
        """The statements, names and order aside."""
        return tuple(sorted(self.text))

    @property
    def layout(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """The statements with the white space in them, names and order aside."""
        return tuple(sorted((one.tokens, one.spaces) for one in self.statements))

    def lines(self, other: OwnAnswer) -> frozenset[int]:
        """The lines of the statements that the other has, too."""
        theirs = set(other.text)
        return frozenset(
            line
            for one in self.statements
            if one.tokens in theirs
            for line in range(one.lines[0], one.lines[1] + 1)
        )


def read(source: str, failed: str, given: HandedOut) -> OwnAnswer:
    """The answer in a source."""
    comments: list[str] = []
    found = _statements(source, comments)
    own = tuple(one for one in found if one.tokens not in given.statements)
    names = frozenset(name for one in own for name in one.declared) - given.names
    return OwnAnswer(own, names, frozenset(comments) - given.comments, failed)


def renamed(one: OwnAnswer, other: OwnAnswer) -> dict[str, str]:
    """What the names of the first are called in the other, where it is something else throughout;
    the statements that both have are taken in their order."""
    places: dict[tuple[str, ...], list[Statement]] = {}
    for statement in other.statements:
        places.setdefault(statement.tokens, []).append(statement)
    called: dict[str, Counter[str]] = {}
    for statement in one.statements:
        if same := places.get(statement.tokens):
            for name, theirs in zip(statement.names, same.pop(0).names, strict=True):
                called.setdefault(name, Counter())[theirs] += 1
    return {
        name: next(iter(theirs))
        for name, theirs in called.items()
        if len(theirs) == 1 and name not in theirs
    }


def _statements(source: str, comments: list[str]) -> Iterator[Statement]:
    """The source's statements; the words of its comments are added to `comments`."""
    found: list[re.Match[str]] = []
    spaces, lines = [], []
    line, last, end = 1, 0, 0
    for token in TOKEN.finditer(source):
        line += source.count("\n", last, token.start())
        last = token.start()
        if token.lastgroup != "comment":
            found.append(token)
            spaces.append(source[end : token.start()])
            lines.append(line)
            if token.group() in _ENDS:
                yield _statement(found, spaces, lines)
                found, spaces, lines = [], [], []
        elif text := " ".join(_SIGNS.sub("", token.group()).split()):
            comments.append(text)
        end = token.end()
    if found:
        yield _statement(found, spaces, lines)


def _statement(found: list[re.Match[str]], spaces: list[str], lines: list[int]) -> Statement:
    tokens = [plain(one) for one in found]
    texts = [one.group() for one in found]
    declared = {
        texts[at]
        for at in range(1, len(tokens) - 1)
        if tokens[at] == NAME and _declares(tokens[at - 1]) and tokens[at + 1] in _AFTER
    }
    names = [text for text, token in zip(texts, tokens, strict=True) if token == NAME]
    return Statement(
        tuple(tokens), tuple(names), frozenset(declared), tuple(spaces), (lines[0], lines[-1])
    )


def _declares(before: str) -> bool:
    """Whether a name behind this token is one that is declared: behind a type, or its * or &."""
    return before in (NAME, "*", "&") or before in _TYPES
