"""What is told of a wrong element, and the words for it: the ground that the rules stand on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from ..compare import Wrong
from ..protocol import Element, Made, ThreadPlace, Used
from ..verdict import Part
from ..words import Words
from . import divergence
from .divergence import Parting


def runs(elements: Iterable[Element]) -> Iterator[tuple[Element, Element]]:
    ordered = sorted(elements, key=lambda one: (one.buffer, one.index))
    numbered = enumerate(ordered)
    for _, group in groupby(numbered, lambda pair: (pair[1].buffer, pair[1].index - pair[0])):
        run = [one for _, one in group]
        yield run[0], run[-1]


def constant(values: np.ndarray) -> bool:
    """Whether all are alike, but for rounding."""
    return bool(np.ptp(values) <= 1e-4 * np.abs(values).max())


def whole(ratio: float) -> bool:
    """Whether a ratio is a whole number, or one over a whole number; for one element alone any
    other is no pattern."""
    larger = max(abs(ratio), 1 / max(abs(ratio), 1e-30))
    return 1.5 < larger < 1e5 and abs(larger - round(larger)) < 1e-4 * larger


def factor(ratio: float) -> str:
    if abs(ratio) < 0.7 and abs(1 / ratio - round(1 / ratio)) < 1e-3:
        return f"1/{round(1 / ratio)} of"
    return f"{ratio:.6g} times"


def are(elements: Sequence[Element]) -> str:
    return "is" if len(elements) == 1 else "are"


def often(times: int) -> str:
    return {0: "too often", 1: "once", 2: "twice"}.get(times, f"{times} times")


def step(found: Parting) -> str:
    where = f"on line {found.place.line} " if found.place.line else ""
    return f"{where}{who(found.place)} {found.mine}"


def parted(found: Parting) -> str:
    return step(found) + (f"; ours {found.ours}" if found.ours else "")


def who(place: ThreadPlace) -> str:
    return f"thread {place.thread} of block {place.block}"


def on(place: ThreadPlace) -> str:
    return f" on line {place.line}" if place.line else ""


def at(place: ThreadPlace) -> str:
    return f"{'on line ' + str(place.line) if place.line else 'in the kernel'}, in {who(place)}"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


MOST = 600  # parts told of


def times(used: Sequence[Used]) -> dict[Element, int]:
    """How often each element went in."""
    return {
        Element(one.first.buffer, index): one.times
        for one in used
        for index in range(one.first.index, one.first.index + one.count)
    }


def parts(
    mine: Mapping[Element, int], ours: Mapping[Element, int], words: Words
) -> tuple[Part, ...]:
    """Runs of neighbouring elements that went in as often, and should have; none where they are
    too many."""
    runs: list[Part] = []
    together = sorted({*mine, *ours}, key=lambda one: (one.buffer, one.index))
    for at, one in enumerate(together):
        found, expected = mine.get(one, 0), ours.get(one, 0)
        before = together[at - 1] if at else None
        follows = before == Element(one.buffer, one.index - 1)
        if runs and follows and (runs[-1].found, runs[-1].expected) == (found, expected):
            last = runs[-1]
            runs[-1] = Part(last.buffer, last.first, last.index, last.count + 1, found, expected)
        elif len(runs) == MOST:
            return ()
        else:
            name, where = words.name(one.buffer), words.index(one)
            runs.append(Part(name, where, one.index, 1, found, expected))
    return tuple(runs)


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
        self._ways = divergence.TwoTrails(pair.mine.behind, pair.ours.behind, words.element)
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
        listed = list(runs(elements))
        named = [self._run(*run) for run in listed[:NAMED]]
        if (rest := len(listed) - NAMED) > 0:
            named.append(f"{rest} more" if all(a == b for a, b in listed[NAMED:]) else "others")
        return ", ".join(named[:-1]) + (" and " if len(named) > 1 else "") + named[-1]

    def _run(self, first: Element, last: Element) -> str:
        if first == last:
            return self._name(first)
        return f"{self._name(first)} to {self._name(last)}"
