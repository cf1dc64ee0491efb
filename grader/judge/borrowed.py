"""Pieces of the solution that may stand in an answer, in the names of the answer.

A variable of the answer goes with the one of the solution that stands beside the same words most
often. A piece is borrowed only for the same place: the head of a loop, the condition of an `if`,
an argument of the same function, an index into the same array, or a value of the same variable
(after R. Hu and others, "Re-factoring based program repair applied to programming assignments",
ASE 2019).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple, TypeVar

from ..compilers.lexer import parts
from ..grouped import grouped

ROUNDS = 3  # in which names are matched: each knows the names of the round before
_LEAST = 0.12  # of the words beside two variables that are alike, for the two to be one
_NAMES = 64  # variables that are matched: the time grows with the square of their number
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_DECLARED = re.compile(r"\b(?:auto|bool|float\d?|int|unsigned|const \w+) (\w+)")
_CLOSING = (")", "]", "}")
_GIVES = {"=", "+=", "-=", "*=", "/=", "return"}
T = TypeVar("T")
Piece = tuple[str, int, int]  # the place that it is for; its first token, and the one after it


class Borrowed(NamedTuple):
    """A text for a span of the answer, and how much both pieces are alike, from 0 to 1; of a
    statement more (`is_line`), whether it comes beside the same one as in the solution."""

    span: tuple[int, int]
    text: str
    alike: float
    is_line: bool = False


class _Code:
    """The tokens of a source. `kinds`: the types of its variables; `names`: the number of each
    variable that is matched; `partners`: by bracket the place of the other one of the pair."""

    def __init__(self, source: str, kinds: Mapping[str, str]):
        self.source = source
        self.tokens = [one for one, _ in parts(source) if one.lastgroup != "comment"]
        self.words = [one[0] for one in self.tokens]
        head = re.search(r"__global__[^(]*\(([^)]*)\)", source)
        given = re.findall(r"\w+(?=\s*(?:,|$))", head[1] if head else "")
        local = [one for one in kinds if one not in given][:_NAMES]
        self.kinds = {one: kinds[one].replace("const", "") for one in local}
        self.names: dict[str, str] = {}
        self.partners, opened = dict[int, int](), list[int]()
        for at, word in enumerate(self.words):
            if word in ("(", "[", "{"):
                opened.append(at)
            elif word in _CLOSING and opened:
                self.partners |= {at: opened[-1], opened.pop(): at}

    def word(self, at: int, unknown: str = "") -> str:
        """A token; of a variable its number, and `unknown` where it has none."""
        word = self.words[at] if 0 <= at < len(self.words) else ""
        is_local = word in self.kinds and self.words[at - 1] != "."
        return self.names.get(word, unknown) if is_local else word

    def plain(self, first: int, end: int) -> tuple[str, ...]:
        """Tokens, with the numbers of variables."""
        return tuple(self.word(at, f"?{self.words[at]}") for at in range(first, end))

    def beside(self) -> dict[str, Counter[tuple[int, str, str]]]:
        """The words beside each variable."""
        found = {one: Counter[tuple[int, str, str]]() for one in self.kinds}
        for at, word in enumerate(self.words):
            if word in found and self.words[at - 1] != ".":
                pairs = ((-1, 1), (-2, -1), (1, 2), (2, 3))
                found[word].update((a, self.word(at + a), self.word(at + b)) for a, b in pairs)
        return found

    def end(self, at: int, *stops: str) -> int:
        """The first of some tokens after a place, or the end of the bracket that it is in."""
        while at < len(self.words) and self.words[at] not in (*stops, *_CLOSING):
            at = self.partners.get(at, at) + 1
        return at

    def pieces(self) -> Iterator[Piece]:
        """What is in brackets, argument by argument, and what is assigned or returned."""
        for at, word in enumerate(self.words[1:], 1):
            before, first = at - 1, at + 1
            if word in ("(", "[") and at in self.partners:
                stops = () if self.words[before] == "for" else (",",)
                for number in range(self.partners[at] - at):
                    end = self.end(first, *stops)
                    if first < end:
                        yield f"{self.word(before)} {word}{number}", first, end
                    if end >= self.partners[at]:
                        break
                    first = end + 1
            elif word in _GIVES:
                while self.words[before] in _CLOSING and before in self.partners:
                    before = self.partners[before] - 1
                name = word if word == "return" else self.word(before)
                yield f"{name} =", first, self.end(first, ";", ",")

    def statements(self) -> list[Piece]:
        """Statements up to their semicolon, with the `if` or the loop that they are alone in."""
        found, first = list[Piece](), 0
        for at, word in enumerate(self.words):
            opens = min(at, self.partners.get(at, at)) - 1
            if word in ("{", "}") and self.words[opens] in (")", "{", "}", ";", "else", "do"):
                first = at + 1
            elif word == ";" and self.end(first, ";") == at:
                found.append((";", first, at + 1))
                first = at + 1
        return found

    def assignments(self) -> Iterator[Piece]:
        """Statements that assign to a variable."""
        for place, first, end in self.statements():
            for at in range(first, end - 1):
                if self.words[at] in self.kinds and self.words[at + 1] in _GIVES:
                    yield f"{self.word(at)} {place}", first, end - 1

    def span(self, first: int, end: int) -> tuple[int, int]:
        """Where tokens are in the source."""
        return self.tokens[first].start(), self.tokens[end - 1].end()


def borrowed(
    source: str, kinds: Mapping[str, str], solution: str, usual: Mapping[str, str]
) -> Iterator[Borrowed]:
    """What an answer may borrow from the solution; `kinds` and `usual`: the types of the variables
    of both."""
    mine, ours = _Code(source, kinds), _Code(solution, usual)
    for _ in range(ROUNDS):
        _match(mine, ours)
    yield from _replaced(mine, ours)
    yield from _added(mine, ours)


def _match(mine: _Code, ours: _Code) -> None:
    """Give the variables that go together the same number, the most alike first."""
    here, there = mine.beside(), ours.beside()
    alike = sorted(
        (
            (_alike(here[one], there[other]) + 0.05 * (one == other), one, other)
            for one, kind in mine.kinds.items()
            for other, usual in ours.kinds.items()
            if kind == usual
        ),
        reverse=True,
    )
    mine.names, ours.names = {}, {}
    for much, one, other in alike:
        if much > _LEAST and one not in mine.names and other not in ours.names:
            mine.names[one] = ours.names[other] = f"#{len(mine.names)}"


def _alike(one: Counter[T], other: Counter[T]) -> float:
    """Which part of the words of both is in both."""
    return (one & other).total() / max((one | other).total(), 1)


def _plain(code: _Code, pieces: Iterable[Piece]) -> dict[tuple[str, ...], list[Piece]]:
    """Pieces by their place and their tokens."""
    return grouped(((one[0], *code.plain(*one[1:])), one) for one in pieces)


def _replaced(mine: _Code, ours: _Code) -> Iterator[Borrowed]:
    """Pieces that the solution has more often, for those that the answer has more often in such a
    place."""
    here, there = (_plain(one, (*one.pieces(), *one.assignments())) for one in (mine, ours))
    texts = {
        one: _renamed(mine, ours, some[0])
        for one, some in there.items()
        if len(some) > len(here.get(one, ()))
    }
    for one, some in here.items():
        for other, text in texts.items() if len(some) > len(there.get(one, ())) else ():
            if text and other[0] == one[0]:
                much = _alike(Counter(one[1:]), Counter(other[1:]))
                yield from (_shortened(mine, piece, text, much) for piece in some)


def _shortened(mine: _Code, piece: Piece, text: str, alike: float) -> Borrowed:
    """A text for a piece, without the tokens at both ends that stay, as far as all brackets are in
    pairs; one token is left at least."""
    (_, first, end), new = piece, [one for one, _ in parts(text)]
    old, words = mine.words[first:end], [one[0] for one in new]
    before = _shared(old[:-1], words)
    after = _shared(old[before + 1 :][::-1], words[before:][::-1])
    span = range(first + before, end - after)
    while outside := [one for at in span if (one := mine.partners.get(at, at)) not in span]:
        before, after = min(before, outside[0] - first), min(after, end - 1 - outside[0])
        span = range(first + before, end - after)
    kept = new[before : len(new) - after]
    text = text[kept[0].start() : kept[-1].end()] if kept else ""
    return Borrowed(mine.span(span.start, span.stop), text, alike)


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many tokens both begin with."""
    return len([*takewhile(lambda both: both[0] == both[1], zip(one, other, strict=False))])


def _added(mine: _Code, ours: _Code) -> Iterator[Borrowed]:
    """Statements that the solution has more often, after each statement of the answer."""
    known, usual = _plain(mine, mine.statements()), ours.statements()
    texts = [*(one for piece in usual for one in _plain(ours, [piece])), ()]
    for at, piece in enumerate(usual):
        is_less = len(known.get(texts[at], ())) < texts.count(texts[at])
        text = _renamed(mine, ours, piece) if is_less else ""
        spots = {end: 0.0 for spans in known.values() for *_, end in spans}
        spots |= {end: 1.0 for *_, end in known.get(texts[at - 1], ())}
        spots |= {first: 1.0 for _, first, _ in known.get(texts[at + 1], ())}
        for spot, much in spots.items() if text else ():
            place = mine.tokens[spot - 1].end()
            yield Borrowed((place, place), f"\n{text}", much, True)


def _renamed(mine: _Code, ours: _Code, piece: Piece) -> str:
    """A piece of the solution in the names of the answer; "" where the answer lacks one."""
    first, end = ours.span(*piece[1:])
    text, back = ours.source[first:end], {number: one for one, number in mine.names.items()}
    names = {one: back[number] for one, number in ours.names.items()}
    names |= {one: one for one in _DECLARED.findall(text) if one not in names}
    used = {*_NAME.findall(text)} & ours.kinds.keys()
    return "" if used - names.keys() else _NAME.sub(lambda one: names.get(one[0], one[0]), text)
