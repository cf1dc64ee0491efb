"""What is told of a wrong element, and the words for it: the ground that the rules stand on."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter

import numpy as np

from ...compilers.declared import Declarations
from ...cuda.errors import Message
from ..compare import Words, Wrong
from ..protocol import Element, Made, ThreadPath, ThreadPlace, Used
from ..verdict import Part
from . import divergence

MOST = 600  # parts told of
NAMED = 3  # elements, or runs of them, that a sentence lists
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")

Times = dict[Element, int]  # how often each element went in
# A message, or a fact without advice, and the line that it is about; or nothing.
Told = Iterator[tuple[str | Message, int | None]]


def runs(values: Mapping[Element, object]) -> Iterator[list[Element]]:
    """Neighbouring elements of one value."""
    ordered = sorted(values, key=lambda one: (one.buffer, one.index))
    alike = [(one.buffer, one.index - at, values[one]) for at, one in enumerate(ordered)]
    for _, group in groupby(zip(alike, ordered, strict=True), itemgetter(0)):
        yield [one for _, one in group]


def constant(values: np.ndarray) -> bool:
    """Whether all are alike, but for rounding."""
    return bool(np.ptp(values) <= 1e-4 * np.abs(values).max())


def whole(ratio: float) -> bool:
    """Whether a ratio is a whole number, or one over a whole number; for one element alone any
    other is no pattern."""
    larger = max(abs(ratio), 1 / max(abs(ratio), 1e-30))
    return 1.5 < larger < 1e5 and abs(larger - round(larger)) < 1e-4 * larger


def factor(ratio: float) -> str:
    """ "1/4 of" or "3 times"."""
    if abs(ratio) < 0.7 and abs(1 / ratio - round(1 / ratio)) < 1e-3:
        return f"1/{round(1 / ratio)} of"
    return f"{ratio:.6g} times"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def times(used: Sequence[Used]) -> Times:
    """How often each element went in."""
    return {
        Element(one.first.buffer, index): one.times
        for one in used
        for index in range(one.first.index, one.first.index + one.count)
    }


def threads(places: Sequence[ThreadPlace]) -> str:
    """Threads in words, or their blocks, where they are in several."""
    blocks = sorted({one.block for one in places})
    if len(blocks) > 1:
        return f"threads of {_run('block', blocks)}"
    return f"{_run('thread', sorted({one.thread for one in places}))} of block {blocks[0]}"


def _run(noun: str, numbers: list[int]) -> str:
    first, last = numbers[0], numbers[-1]
    together = f"{noun}s {first} to {last}" if first < last else f"{noun} {first}"
    return together if last - first < len(numbers) else f"{len(numbers)} {noun}s"


def only(made: Made) -> Element | None:
    """The one element that something was made of; None where there are more, or none."""
    (first, *others) = times(made.used) or (None,)
    return first if made.whole and not made.cut and not others else None


def copied(mine: Made, ours: Made) -> tuple[Element, Element] | None:
    """The elements that one is a copy of and should be, if both are of one buffer."""
    one, other = only(mine), only(ours)
    return (one, other) if one and other and one.buffer == other.buffer else None


@dataclass(frozen=True)
class Pair:
    """A wrong element in both runs: `mine` is the learner's, `ours` the solution's; `others` are
    some more wrong ones where it is another input's copy. `path`, of an element that nobody wrote,
    is that of the learner's thread that has the number of its writer in the solution."""

    wrong: Wrong
    mine: Made
    ours: Made
    others: tuple[tuple[Made, Made], ...] = ()
    path: ThreadPath | None = None


class About:
    """One wrong element in both runs."""

    def __init__(self, pair: Pair, words: Words):
        self.pair, self.words = pair, words
        self.mine, self.ours = pair.mine, pair.ours
        self._ways = divergence.TwoTrails(pair.mine.behind, pair.ours.behind, words.element)
        self._mine, self._ours = times(pair.mine.used), times(pair.ours.used)
        self._joined: divergence.Parting | None = None  # the step that has been told
        self._name, self._declared = words.element, Declarations(words.source)
        self._here = self._name(pair.wrong.element)
        self._found = float(pair.wrong.found.flat[0])
        self._all_told = all(one.whole and not one.cut for one in (pair.mine, pair.ours))
        self._same = self._all_told and bool(self._mine) and self._mine.keys() == self._ours.keys()

    @property
    def _arose(self) -> bool:
        """Whether it is a NaN that was computed from other numbers."""
        return self.mine.nan is not None and math.isnan(self._found)

    @cached_property
    def _loads(self) -> dict[Element, list[Used]]:
        """By element what is known of the instructions that load it."""
        loads: dict[Element, list[Used]] = {}
        for one in self.mine.loads:
            loads.setdefault(one.first, []).append(one)
        return loads

    def _listed(self, elements: Iterable[Element], joined: str = "and") -> str:
        """Elements by name, runs of them as runs; of many the first few."""
        listed = [dict.fromkeys((run[0], run[-1])) for run in runs(dict.fromkeys(elements))]
        named = [" to ".join(map(self._name, ends)) for ends in listed[:NAMED]]
        if (rest := len(listed) - NAMED) > 0:
            alone = all(len(ends) == 1 for ends in listed[NAMED:])
            named.append(f"{rest} more" if alone else "others")
            joined = "and"
        return ", ".join(named[:-1]) + (f" {joined} " if len(named) > 1 else "") + named[-1]

    def _loaded(self, elements: Collection[Element], are_named: bool = True) -> str:
        """Who loads some elements, in a sentence, or that nobody uses them; `are_named`: by the
        sentence before it."""
        never = [one for one in elements if one not in self._loads]
        if not self._loads or not elements:
            return ""
        are_named = are_named and len(never) in (0, len(elements))
        them = "it" if len(elements) == 1 else "them"
        them = them if are_named else self._listed(never or elements)
        if never:  # a compiler leaves out a load whose value nobody uses
            return f"No thread uses {them}."
        who = threads([self._loads[one][0].loaded for one in elements])
        verb, end = ("load" if "s " in who else "loads"), self._last_use(elements)
        last = f", and line {end.line} is the last that uses {them}" if end else ""
        return f"{capital(who)} {verb} {them}{last}."

    def _last_use(self, elements: Collection[Element]) -> ThreadPlace | None:
        """Where elements were used last, if that is one line and no output came of it."""
        ends = [self._loads[one][-1].last if one in self._loads else None for one in elements]
        lines = {end.line if end else None for end in ends}
        return ends[0] if len(lines) == 1 and ends[0] and ends[0].line else None

    def _only_load(self, elements: Collection[Element]) -> int | None:
        """The line that loads from the arrays of these elements, if it is one."""
        arrays = {one.buffer for one in elements}
        loads = [one for one in self.mine.loads if one.first.buffer in arrays]
        lines = {one.loaded.line for one in loads}
        return lines.pop() if len(lines) == 1 else None

    def _parts(self, mine: Times, ours: Times) -> tuple[Part, ...]:
        """Runs of neighbouring elements that went in as often, and should have; none where they are
        too many."""
        often = {one: (mine.get(one, 0), ours.get(one, 0)) for one in {*mine, *ours}}
        parts = []
        for first, *rest in runs(often):
            place = self.words.name(first.buffer), self.words.index(first), first.index
            parts.append(Part(*place, 1 + len(rest), *often[first]))
        return tuple(parts) if len(parts) <= MOST else ()
