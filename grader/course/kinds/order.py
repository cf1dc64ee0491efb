"""Order the lines (Parsons problems): the answer's lines are there, shuffled, among some that do
not belong to it. It is judged as a kernel of these lines, so that another right order is right too.

D. Parsons and P. Haden, Parson's programming puzzles, Australasian Computing Education 2006.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from types import MappingProxyType

from .kind import Kind, answers
from .write import YOURS

_FEWEST = 3  # lines
_ATTEMPTS = 50
_LINE = re.compile(r"^[ \t]*//   (.*)$", re.MULTILINE)
_BLOCK = re.compile(rf"((?:^[ \t]*//   .*\n)+)[ \t]*{YOURS}", re.MULTILINE)


@dataclass(frozen=True)
class Order(Kind):
    """`distractors` are lines that do not belong to the answer; nothing marks them."""

    name = "order"
    title = "put in order"
    to_do = (
        "Take the lines that you need out of the comment, move each to its place, and leave the "
        "others where they are"
    )
    allowed = (
        "**What may be changed**: move lines of the comment into the kernel, each at most once and "
        "as it is. All else stays as it was. Comments, white space, braces and empty statements do "
        "not count."
    )
    called = MappingProxyType({"over_budget": "not as asked"})
    keeps_what_is_given = True

    distractors: tuple[str, ...] = ()

    def stub(self, indent: str, answer: str) -> str:
        lines = [line.strip() for line in answer.splitlines() if line.strip()]
        shuffled = _shuffled([*lines, *self.distractors], lines)
        return "".join(f"{indent}//   {line}\n" for line in shuffled) + f"{indent}{YOURS}\n"

    def lines(self, handed_out: str) -> tuple[str, ...]:
        return tuple(line for block in _BLOCK.findall(handed_out) for line in _LINE.findall(block))

    def fault(self, solution: str) -> str:
        for answer in answers(solution):
            if len([line for line in answer.splitlines() if line.strip()]) < _FEWEST:
                return f"has fewer than {_FEWEST} lines to {self.title}"
        return super().fault(solution)


def _shuffled(given: list[str], lines: list[str]) -> list[str]:
    """`given` in an order that depends on the lines alone, and in which as few of `lines` as can be
    found follow each other as they do there."""
    follows = set(pairwise(lines))
    orders = [sorted(given, key=partial(_place, attempt)) for attempt in range(_ATTEMPTS)]
    return min(orders, key=lambda order: sum(pair in follows for pair in pairwise(order)))


def _place(attempt: int, line: str) -> str:
    return hashlib.sha256(f"{attempt} {line}".encode()).hexdigest()
