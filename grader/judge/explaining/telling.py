"""What is told of a wrong element, and the words for it: the ground that its rules stand on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..compare import Wrong
from ..protocol import Element, Made
from ..words import Words
from . import divergence, phrases
from .flow import times

NAMED = 3  # elements, or runs of them, that a sentence lists

Told = tuple[str, int | None] | None  # a sentence, and the line that it is about


@dataclass(frozen=True)
class Pair:
    """A wrong element in both runs: `mine` is the learner's, `ours` the solution's; `others` are
    some more wrong ones where it is another input's copy."""

    wrong: Wrong
    mine: Made
    ours: Made
    others: tuple[tuple[Made, Made], ...] = ()

    @property
    def of_another_place(self) -> bool:
        """Whether it was made of one element, and should have been of another one."""
        mine, ours = only(self.mine), only(self.ours)
        return mine is not None and ours is not None and mine != ours


def only(made: Made) -> Element | None:
    """The one element that something was made of; None where there are more, or none."""
    (first, *others) = times(made.used) or (None,)
    return first if made.whole and not made.cut and not others else None


class About:
    """One wrong element in both runs."""

    def __init__(self, pair: Pair, words: Words):
        self.pair, self.words = pair, words
        self.mine, self.ours = pair.mine, pair.ours
        self._ways = divergence.Ways(pair.mine.cone, pair.ours.cone, words.element)
        self._mine = times(pair.mine.used)
        self._ours = times(pair.ours.used)
        self._here = self._name(pair.wrong.element)
        self._found = float(pair.wrong.found.flat[0])
        self._all_told = pair.mine.whole and pair.ours.whole
        self._all_told &= not (pair.mine.cut or pair.ours.cut)

    def _same(self) -> bool:
        return self._all_told and bool(self._mine) and self._mine.keys() == self._ours.keys()

    def _name(self, element: Element) -> str:
        return self.words.element(element)

    def _listed(self, elements: Iterable[Element]) -> str:
        """Elements by name, runs of them as runs; of many the first few."""
        runs = list(phrases.runs(elements))
        named = [self._run(*run) for run in runs[:NAMED]]
        if (rest := len(runs) - NAMED) > 0:
            named.append(f"{rest} more" if all(a == b for a, b in runs[NAMED:]) else "others")
        return ", ".join(named[:-1]) + (" and " if len(named) > 1 else "") + named[-1]

    def _run(self, first: Element, last: Element) -> str:
        if first == last:
            return self._name(first)
        return f"{self._name(first)} to {self._name(last)}"
