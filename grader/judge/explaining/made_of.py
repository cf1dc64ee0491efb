"""The sentences about what a wrong element was made of, each None where it does not apply."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ..protocol import Element, ThreadPlace, Used
from ..verdict import Part
from . import divergence, places, telling
from .telling import About, Told, only, parts, times

_OF_THE_COMPILER = re.compile(
    r"computes |(multiplies \S+|to the left) by \d\d?;"
)  # bytes from elements


class MadeOf(About):
    """Which elements, and from where."""

    def parts(self) -> tuple[Part, ...]:
        """What it was made of and should have been, where that is not the same."""
        if self._all_told and self._mine.keys() != self._ours.keys():
            return parts(self._mine, self._ours, self.words)
        if self.too_often():
            return parts(times(self.mine.summed), times(self.ours.summed), self.words)
        return ()

    def nobody(self) -> Told:
        """Nobody wrote it: who does, in a right kernel."""
        if self.pair.wrong.written:
            return None
        stored = self.ours.stored
        return (f"In our kernel {telling.who(stored)} writes it.", None) if stored else None

    def other_place(self) -> Told:
        """One element in the place of another."""
        if not (self._all_told and len(self._mine) == len(self._ours) == 1):
            return None
        (mine,), (ours,) = self._mine, self._ours
        if mine == ours:
            return None
        loaded = self.mine.used[0].loaded
        sentence = (
            f"{self._here} is made of {self._name(mine)}, and should be made of "
            f"{self._name(ours)}: {telling.who(loaded)} loads it{telling.on(loaded)}."
        )
        return sentence + (self._rule() or self._to_its_place(mine, ours)), loaded.line

    def _to_its_place(self, mine: Element, ours: Element) -> str:
        """Where the index of an element that was handed on goes another way."""
        ways = divergence.TwoTrails(self.mine.index, self.ours.index, self._name)
        found = ways.parting_of_indices() if mine.buffer == ours.buffer else None
        if (
            found is None
            or not found.ours
            or _OF_THE_COMPILER.search(f"{found.mine};{found.ours};")
        ):
            return ""
        return f" The first step of its index that ours does not take: {telling.parted(found)}."

    def _rule(self) -> str:
        """How all that were looked at stand to what they should be."""
        made = [(self.mine, self.ours), *self.pair.others]
        pairs = [(only(mine), only(ours)) for mine, ours in made]
        if not all(mine and ours and mine.buffer == ours.buffer for mine, ours in pairs):
            return ""
        index = self.words.index
        taken = [(mine, ours) for mine, ours in pairs if mine and ours]
        said = places.rule([(index(mine), index(ours)) for mine, ours in taken])
        if not said:
            there = [
                self.words.place(one) for one in (self.pair.wrong.element, *self.pair.wrong.others)
            ]
            flat = ([one.index for one in side] for side in zip(*taken, strict=True))
            said = places.by_strides(there[: len(taken)], *flat)
        return f" {said}" if said else ""

    def other_elements(self) -> Told:
        """What is not in it, and what does not belong there."""
        if not self._all_told:
            return None
        if len(self._mine) == 1 and (winner := self.other_winner()):
            return winner
        if self._ours and not self._mine:
            there = self._listed(self._ours.keys())
            return f"No input went into {self._here}, and {there} should.", None
        return self._differ(self._mine, self._ours, self.mine.used, self._here)

    def other_summands(self) -> Told:
        """The same without what only a maximum or a minimum was looked for in."""
        mine, ours = times(self.mine.summed), times(self.ours.summed)
        if not (self._all_told and mine and ours):
            return None
        return self._differ(mine, ours, self.mine.summed, f"Apart from maxima, {self._here}")

    def _differ(
        self,
        mine: dict[Element, int],
        ours: dict[Element, int],
        used: Sequence[Used],
        what: str,
    ) -> Told:
        lacks, has = ours.keys() - mine.keys(), mine.keys() - ours.keys()
        if not (lacks or has):
            return None
        parts = [f"lacks {self._listed(lacks)}"] if lacks else []
        parts += [f"holds {self._listed(has)}, which no part of it should be"] if has else []
        loaded = next((one.loaded for one in used if one.first in has), None)
        who = f" ({telling.who(loaded)} loads it{telling.on(loaded)})" if loaded else ""
        again = [one for one, times in mine.items() if times > ours.get(one, times)]
        more = f" {self._listed(again)} {telling.are(again)} in it more than once." if again else ""
        return f"{what} {', and '.join(parts)}{who}.{more}", loaded.line if loaded else None

    def too_often(self) -> Told:
        """What was counted more often than in the solution, but for maxima, where that changes
        nothing."""
        mine, ours = times(self.mine.summed), times(self.ours.summed)
        if not self._all_told or mine.keys() != ours.keys():
            return None
        again = [one for one, times in mine.items() if times > ours[one]]
        if not again:
            return None
        pairs = {(mine[one], ours[one]) for one in again}
        often, should = pairs.pop() if len(pairs) == 1 else (0, 1)
        sentence = (
            f"{self._listed(again)} {telling.are(again)} in {self._here} {telling.often(often)}"
        )
        return sentence + (f", and should be {telling.often(should)}." if should > 1 else "."), None

    def constant_extreme(self) -> Told:
        """A maximum on its way that a constant won."""
        found = self._ways.constant_extreme()
        if found is None:
            return None
        return (
            f"On its way {self._here} is measured from a maximum or minimum of {found.value:g}, "
            f"which stands in the code (line {found.line}): against it all elements lost, and in "
            f"our kernel it is {found.ours:g}. What does the search start from?",
            found.line,
        )

    def constant(self) -> Told:
        """A constant won where an input should have."""
        if self.mine.origin != "constant" or self.ours.origin == "constant":
            return None
        line = self.mine.origin_line
        there = f" (line {line})" if line else ""
        sentence = f"The {self._found:g} in {self._here} stands in the code{there}"
        if isinstance(self.ours.origin, Element) and self._mine:
            sentence += (
                f": against it all of its elements lost, {self._name(self.ours.origin)} "
                "among them, which it should be. What does your search start from?"
            )
        else:
            sentence += ", and no input has changed it."
        return sentence, line

    def other_winner(self) -> Told:
        mine, ours = self.mine.origin, self.ours.origin
        if not (isinstance(mine, Element) and isinstance(ours, Element)) or mine == ours:
            return None
        return (
            f"{self._here} is {self._name(mine)} unchanged, and should be {self._name(ours)}.",
            self.mine.origin_line,
        )

    def tie(self) -> Told:
        """The number of an element in its row, where another one of the same value is meant."""
        found, wanted = (
            float(one.flat[0]) for one in (self.pair.wrong.found, self.pair.wrong.expected)
        )
        if self.pair.wrong.found.dtype.kind not in "iu" or min(found, wanted) < 0:
            return None
        *row, _ = self.words.index(self.pair.wrong.element) or (0,)
        for name, array in self.words.problem.inputs.items():
            inside = array.ndim == len(row) + 1 and max(found, wanted) < array.shape[-1]
            if not inside or any(at >= size for at, size in zip(row, array.shape, strict=False)):
                continue
            one, other = ((*row, int(at)) for at in (found, wanted))
            if one != other and array[one] == array[other]:
                places = [int(np.ravel_multi_index(at, array.shape)) for at in (one, other)]
                named = [self._name(Element(name, at)) for at in places]
                return (
                    f"{named[0]} and {named[1]} are both {array[one]:.6g}: of equal elements it "
                    "names the wrong one. What decides between them?",
                    None,
                )
        return None

    def stored(self, place: ThreadPlace) -> str:
        return f"{telling.capital(telling.who(place))} wrote it{telling.on(place)}."
