"""CUDA sources taken apart, into tokens and into statements: what two of them have in common,
whatever their names, layout and comments; and what in an answer is its learner's own."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Self

from ...compilers.lexer import parts
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
