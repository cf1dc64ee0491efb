"""Why an element is wrong: what it was made of, held against what the solution makes it of.

Only what was seen in the two runs is said. Both are followed on the simulated device (see
`following`), in the worker's process; what is expected stays here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..status import Pattern
from . import choices, divergence, phrases
from .compare import Wrong
from .flow import parts, times
from .protocol import Choice, Element, Made, Place, Used
from .verdict import CaseResult, Part
from .words import Words

_OF_THE_COMPILER = re.compile(
    r"computes |(multiplies \S+|to the left) by \d\d?;"
)  # bytes from elements
NAMED = 3  # elements, or runs of them, that a sentence lists


@dataclass(frozen=True)
class Pair:
    """A wrong element in both runs: `mine` is the learner's, `ours` the solution's."""

    wrong: Wrong
    mine: Made
    ours: Made


def explained(result: CaseResult, pair: Pair, words: Words) -> CaseResult:
    """`result` with a sentence on why, and the line that it is about, as far as that was seen."""
    teller = _Teller(pair, words)
    result = replace(result, made_of=teller.parts())
    told = [(pattern, one) for pattern, one in _all_told(teller) if one]
    if not told:
        return result
    line = next((line for _, (_, line) in told if line), None)
    sentences = [sentence for _, (sentence, _) in told]
    if line is None and pair.wrong.written and pair.mine.stored:
        sentences.append(teller.stored(pair.mine.stored))
    message = " ".join([result.message, *sentences])
    patterns = tuple(str(pattern) for pattern, _ in told)
    return replace(result, message=message, line=line, patterns=patterns)


def _all_told(teller: _Teller) -> Iterator[tuple[Pattern, Told]]:
    """What it is made of, if that is amiss, is told first, then what was done with it."""
    made_of = _first(
        (Pattern.NOBODY_WROTE, teller.nobody),
        (Pattern.OTHER_PLACE, teller.other_place),
        (Pattern.CONSTANT_WON, teller.constant),
        (Pattern.CONSTANT_WON, teller.constant_extreme),
        (Pattern.OTHER_ELEMENTS, teller.other_elements),
        (Pattern.OTHER_ELEMENTS, teller.other_summands),
        (Pattern.TOO_OFTEN, teller.too_often),
        (Pattern.OTHER_PLACE, teller.other_winner),
    )
    right = not any(told for _, told in made_of)
    done = [(Pattern.FIRST_NAN, teller.nan())]
    done += [(Pattern.SCALED, teller.scaled())] if right else []
    done += _first(
        (Pattern.CHOSEN_OTHERWISE, teller.chosen),
        (Pattern.OTHER_STEP, teller.parting),
        (Pattern.LEFT_EARLY, partial(teller.goes_on, not right)),
    )
    yield from [*made_of, *done]
    if right and not any(told for _, told in done):
        yield from _first(
            (Pattern.OTHER_STEP, teller.other_order),
            (Pattern.OTHER_STEP, teller.fewer_steps),
            (Pattern.OTHER_STEP, teller.arithmetic),
        )


def _first(*rules: tuple[Pattern, Callable[[], Told]]) -> list[tuple[Pattern, Told]]:
    """What the first rule says that applies."""
    return next(([(pattern, told)] for pattern, rule in rules if (told := rule())), [])


Told = tuple[str, int | None] | None  # a sentence, and the line that it is about


class _Teller:
    """The sentences about one wrong element, each None where it does not apply."""

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
        return (f"In our kernel {phrases.who(stored)} writes it.", None) if stored else None

    def nan(self) -> Told:
        """Where the first NaN arises."""
        place = self.mine.nan
        if place is None or not math.isnan(self._found):
            return None
        what = " and ".join(f"{one:g}" for one in self.mine.operands)
        made = f", made of {what}" if len(self.mine.operands) > 1 else ""
        return f"The first NaN on its way arises {phrases.at(place)}{made}.", None

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
            f"{self._name(ours)}: {phrases.who(loaded)} loads it{phrases.on(loaded)}."
        )
        return sentence + (
            self._changed_places(mine, ours) or self._to_its_place(mine, ours)
        ), loaded.line

    def _to_its_place(self, mine: Element, ours: Element) -> str:
        """Where the index of an element that was handed on goes another way."""
        ways = divergence.Ways(self.mine.index, self.ours.index, self._name)
        found = ways.parting_of_indices() if mine.buffer == ours.buffer else None
        if (
            found is None
            or not found.ours
            or _OF_THE_COMPILER.search(f"{found.mine};{found.ours};")
        ):
            return ""
        return f" The first step of its index that ours does not take: {phrases.parted(found)}."

    def _changed_places(self, mine: Element, ours: Element) -> str:
        one, other = self.words.index(mine), self.words.index(ours)
        if mine.buffer != ours.buffer or len(one) != 2:
            return ""
        return " Row and column have changed places." if one == other[::-1] else ""

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
        who = f" ({phrases.who(loaded)} loads it{phrases.on(loaded)})" if loaded else ""
        again = [one for one, times in mine.items() if times > ours.get(one, times)]
        more = f" {self._listed(again)} {phrases.are(again)} in it more than once." if again else ""
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
            f"{self._listed(again)} {phrases.are(again)} in {self._here} {phrases.often(often)}"
        )
        return sentence + (f", and should be {phrases.often(should)}." if should > 1 else "."), None

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

    def chosen(self) -> Told:
        """The first `?:` on its way that fell otherwise than in the solution."""
        found = choices.fell_otherwise(self.mine.choices, self.ours.choices)
        if found is not None:
            one, other = found
            said = f"{self._choice(one)}; ours {choices.words(other)}."
            number = choices.strange_number(one, other)
            said += (
                "" if number is None else f" The {number:g} stands in the code, and not in ours."
            )
            return said, one.place.line
        for mine in choices.new(self.mine.choices, self.ours.choices):
            if won := self._ways.beaten(mine.values, mine.taken):
                return f"{self._choice(mine)}; ours {won}.", mine.place.line
        nan = choices.with_nan(self.mine.choices)
        if nan is None or choices.with_nan(self.ours.choices):
            return None
        return f"{self._choice(nan)}: no comparison with NaN holds.", nan.place.line

    def _choice(self, one: Choice) -> str:
        where = f"on line {one.place.line} " if one.place.line else ""
        return phrases.capital(f"{where}{phrases.who(one.place)} {choices.words(one)}")

    def parting(self) -> Told:
        """The first step that the solution does not take."""
        found = self._ways.parting()
        if found is None:
            return None
        sentence = f"The first step on its way that ours does not take: {phrases.parted(found)}."
        if found.constant is not None:
            sentence += f" The {found.constant:g} stands in the code, and not in ours."
        return sentence, found.place.line

    def goes_on(self, from_parts: bool) -> Told:
        """The solution has the value too, and makes another of it."""
        further = self._ways.goes_on(from_parts)
        said = f"{self._here} is what ours has on its way there, and ours goes on: it {further}."
        return (said, None) if further else None

    def other_order(self) -> Told:
        """The first sum, maximum or the like of two values that the solution does not take."""
        found = self._ways.parting(any_order=True)
        if found is None:
            return None
        return (
            f"{self._here} is made of the right elements. The first step on its way that ours does "
            f"not take: {phrases.parted(found)}. Another order is no mistake, another value is.",
            found.place.line,
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

    def scaled(self) -> Told:
        """All wrong elements wrong by one factor, or by one amount."""
        found, expected = self.pair.wrong.found, self.pair.wrong.expected
        if not (np.isfinite(found).all() and np.isfinite(expected).all()):
            return None
        with np.errstate(all="ignore"):
            ratio, off = found / expected, found - expected
        what = ""
        telling = (len(ratio) > 1 or phrases.whole(ratio.flat[0])) and abs(ratio.flat[0] - 1) > 1e-3
        if found.all() and expected.all() and phrases.constant(ratio) and telling:
            what = f"{phrases.factor(float(ratio.mean()))} what it should be"
        elif len(off) > 1 and phrases.constant(off):
            amount = float(off.mean())
            what = f"{abs(amount):.6g} too {'large' if amount > 0 else 'small'}"
        if not what:
            return None
        which = "It is" if len(found) == 1 else f"Each of the {len(found)} wrong elements is"
        same = " The elements that it is made of are the right ones." if self._same() else ""
        return f"{which} {what}.{same}", None

    def fewer_steps(self) -> Told:
        """Kinds of arithmetic that the solution does more or less of on the way."""
        for kind in ("exponential", "division", "multiplication"):
            mine, ours = self._ways.passed(kind)
            if (mine != ours and kind != "multiplication") or (mine == 0) != (ours == 0):
                sentence = (
                    f"An element passes {phrases.number(mine, kind)} on its way into "
                    f"{self._here}, and {phrases.number(ours, kind)} in a right kernel."
                )
                return sentence, None
        return None

    def arithmetic(self) -> Told:
        if not self._same():
            return None
        return (
            f"{self._here} is made of the right elements: what is done with them differs.",
            None,
        )

    def _same(self) -> bool:
        return self._all_told and bool(self._mine) and self._mine.keys() == self._ours.keys()

    def stored(self, place: Place) -> str:
        return f"{phrases.capital(phrases.who(place))} wrote it{phrases.on(place)}."

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
