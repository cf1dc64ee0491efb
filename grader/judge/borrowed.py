"""Pieces of the solution that may stand in an answer, in the names of the answer.

Both are taken as tokens, a variable as its type, and aligned. Variables that stand in the same
places most often go together; then both are aligned again. What differs may be borrowed (after
R. Hu and others, "Re-factoring based program repair applied to programming assignments", ASE 2019).
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from itertools import pairwise

from ..compilers.declared import Declarations
from ..compilers.lexer import parts

ROUNDS = 3  # of alignment
NEAR = 8  # tokens at most between two differences that are borrowed together
TOGETHER = 4  # such differences at most
LONG = 2_000  # tokens; the alignment of more takes short ways
# A text for a span of the answer, and how many differences it takes away.
Borrowed = tuple[tuple[int, int], str, int]
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")


class _Code:
    """The tokens of a source, and the types of its variables that are no parameters."""

    def __init__(self, source: str):
        self.source, head = source, re.search(r"__global__[^(]*\(([^)]*)\)", source)
        self.tokens = [one for one, _ in parts(source) if one.lastgroup != "comment"]
        given = re.findall(r"\w+(?=\s*(?:,|$))", head[1] if head else "")
        types = Declarations(source).types
        self.types = {
            one: kind.replace("const", "") for one, kind in types.items() if one not in given
        }

    def words(self, names: Mapping[str, str]) -> list[str]:
        """The tokens; for a variable what it is called by `names`, or else its type."""
        words = (one[0] for one in self.tokens)
        return [
            names.get(one, f": {self.types[one]}") if one in self.types else one for one in words
        ]

    def span(self, first: int, end: int) -> tuple[int, int]:
        """Where some tokens are; where there is none, the end of the one before."""
        last = self.tokens[end - 1].end() if end else 0
        return self.tokens[first].start() if first < end else last, last


class Alignment:
    """An answer beside the solution. `names`: by name of a variable of the solution, that of the
    answer's."""

    def __init__(self, source: str, solution: str):
        self._mine, self._ours = _Code(source), _Code(solution)
        self.names: dict[str, str] = {}
        for _ in range(ROUNDS):
            known = {name: f"= {name}" for name in self.names.values()}
            mine = self._mine.words(known)
            ours = self._ours.words({name: known[one] for name, one in self.names.items()})
            self._steps = SequenceMatcher(None, mine, ours, autojunk=len(mine) > LONG).get_opcodes()
            self._match()

    def _match(self) -> None:
        """Find out which variables go together."""
        votes = Counter[tuple[str, str]]()
        for _, first, end, begin, stop in self._steps:
            if end - first == stop - begin:
                both = zip(self._mine.tokens[first:end], self._ours.tokens[begin:stop], strict=True)
                votes.update((one[0], other[0]) for one, other in both)
        self.names = {}
        for (one, other), _ in votes.most_common():
            if (
                self._mine.types.get(one, "") == self._ours.types.get(other)
                and other not in self.names
                and one not in self.names.values()
            ):
                self.names[other] = one

    def renamed(self, text: str) -> str:
        """A piece of the solution in the names of the answer; "" where the answer lacks one."""
        names = {
            one: one
            for one in re.findall(r"\b(?:auto|bool|float\d?|int|unsigned|const \w+) (\w+)", text)
        } | self.names
        used = {*_NAME.findall(text)} & self._ours.types.keys()
        return "" if used - names.keys() else _NAME.sub(lambda one: names.get(one[0], one[0]), text)

    def differences(self) -> Iterator[Borrowed]:
        """What the solution has where the answer has something else: one difference, or a few near
        ones together."""
        apart = [one for one in self._steps if one[0] != "equal"]
        for at in range(len(apart)):
            for number in range(1, TOGETHER + 1):
                some = apart[at : at + number]
                if len(some) < number or any(b[1] - a[2] > NEAR for a, b in pairwise(some)):
                    break
                (_, first, _, begin, _), (_, _, end, _, stop) = some[0], some[-1]
                a, b = self._ours.span(begin, stop)
                text = self.renamed(self._ours.source[a:b])
                if text or a == b:
                    yield self._mine.span(first, end), text, number
