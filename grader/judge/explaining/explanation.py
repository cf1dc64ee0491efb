"""Why an element is wrong: what it was made of and what was done with that, held against what the
solution makes it of.

Only what was seen in the two runs is said. Both are followed on the simulated device (see
`sandbox.slices`), in the worker's process; what is expected stays here.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, islice

import numpy as np

from ...cuda.errors import Message
from ...say import verdict_answers as say
from ...status import Pattern
from ..protocol import Choice, ThreadPlace
from ..verdict import CaseResult
from ..words import Words
from .divergence import Parting, number_in_code
from .made_of import MadeOf
from .telling import Pair, Told, capital, constant, factor, whole
from .thread_paths import ASKS

Said = tuple[Pattern, Message, int | None]  # a pattern, its message, and the line of that


def fell_otherwise(mine: Sequence[Choice], ours: Sequence[Choice]) -> tuple[Choice, Choice] | None:
    """The first choice of `mine` that fell otherwise than one of `ours` about the same value: that
    took another, and by another answer or question."""
    about: dict[object, list[Choice]] = {}  # by a value and where it stands
    for other in ours:
        for value in _about(other):
            about.setdefault(value, []).append(other)
    for one in _new(mine, ours):
        apart = [
            other
            for other in chain.from_iterable(about.get(value, ()) for value in _about(one))
            if other.taken != one.taken
            and (other.opcode, other.holds) != (one.opcode, one.holds)
            and _question(other) != _question(one)
        ]
        if apart:
            return one, min(apart, key=lambda other: other.opcode != one.opcode)
    return None


def _new(mine: Sequence[Choice], ours: Sequence[Choice]) -> list[Choice]:
    """Those of `mine` that `ours` does not have."""
    rows = [
        [(one.opcode, *(f"{value:.5g}" for value in one.values), one.holds) for one in side]
        for side in (mine, ours)
    ]
    known = set(rows[1])
    return [one for one, row in zip(mine, rows[0], strict=True) if row not in known]


def _about(one: Choice) -> list[tuple[int, str]]:
    """Its values that do not stand in the code, with their places."""
    numbered = enumerate(zip(one.values, one.fixed, strict=True))
    return [(place, f"{value:.5g}") for place, (value, fixed) in numbered if not fixed]


def _with_nan(choices: Sequence[Choice]) -> Choice | None:
    """The first choice by a comparison with NaN."""
    return next((one for one in choices if any(map(math.isnan, one.values))), None)


def _question(choice: Choice) -> str:
    one, other = choice.values
    asks = next((ASKS[part] for part in choice.opcode.split(".") if part in ASKS), "against")
    return f"asks whether {one:.6g} {asks} {other:.6g}, and takes {choice.taken:.6g}"


def _chosen(one: Choice) -> str:
    on = f"{one.place.on.strip()}, " if one.place.on else ""
    return capital(f"{on}{one.place.who} {_question(one)}")


class Explanation(MadeOf):
    """What was done with it, beside what it was made of."""

    @cached_property
    def _fell(self) -> tuple[Choice, Choice] | None:
        """The first choice that fell otherwise than in the solution."""
        return fell_otherwise(self.mine.choices, self.ours.choices)

    @cached_property
    def _in_another_order(self) -> Parting | None:
        """The first sum, maximum or the like that the solution takes of other pairs."""
        return self._ways.parting(any_order=True)

    def nan(self) -> Told:
        """Where the first NaN arises."""
        if (place := self.mine.nan) and self._arose:
            what = " and ".join(f"{one:g}" for one in self.mine.operands)
            made = f" from {what}" if len(self.mine.operands) > 1 else ""
            yield f"{capital(place.who)} computes the first NaN{made}{place.on}.", None

    def cancelled(self) -> Told:
        """Roundings that large numbers leave where they cancel."""
        off = self._found - float(self.pair.wrong.expected.flat[0])
        found = self._ways.cancelled(off) if math.isfinite(off) and self._same else None
        if found:
            place, words, by, ours = found
            told = Message(
                f"{self._here} loses its digits by cancellation{place.on}: {place.who} {words}.",
                "A float has about 7 digits. Where large numbers almost cancel, mostly their "
                f"rounding errors are left. Here rounding changes {self._here} by up to {by:.2g}.",
                "Which formula does not subtract two large numbers?",
                f"In our kernel rounding changes it by up to {ours:.2g}.",
            )
            yield told, place.line

    def chosen(self) -> Told:
        """The first `?:` on the path whose choice is another one than in the solution."""
        if found := self._fell:
            one, other = found
            fixed = [
                [value for value, is_fixed in zip(c.values, c.fixed, strict=True) if is_fixed]
                for c in found
            ]
            strange = next((number for number in fixed[0] if number not in fixed[1]), None)
            remedy, ours = number_in_code(strange), f"Our kernel {_question(other)}."
            yield Message(f"{_chosen(one)}.", remedy=remedy, ours=ours), one.place.line
        for mine in _new(self.mine.choices, self.ours.choices):
            if won := self._ways.beaten(mine.values, mine.taken):
                yield Message(f"{_chosen(mine)}.", ours=f"Our kernel {won}."), mine.place.line
        nan = _with_nan(self.mine.choices)
        if nan and not _with_nan(self.ours.choices):
            yield f"{_chosen(nan)}. No comparison with NaN is true, except `!=`.", nan.place.line

    def decided(self) -> Told:
        """Of an element that is another one's copy, the first element, of an array that gives no
        data, which decides what is copied: where one of another value decides in the solution, or
        the same one does and another is taken."""
        if len(self._mine) != 1 or len(self._ours) != 1:
            return
        data = {one.buffer for one in (*self._mine, *self._ours)}
        mine, ours = (
            [one for one in side.decisions if one[0].buffer not in data]
            for side in (self.mine, self.ours)
        )
        for (one, value, place), (other, expected, _) in zip(mine, ours, strict=False):
            said = f"{capital(place.who)} decides by {self._name(one)} ({value:g}){place.on}"
            if value != expected:
                instead = f"Our kernel decides by {self._name(other)} ({expected:g})."
                yield Message(f"{said}.", ours=instead), place.line
            elif one == mine[-1][0] == other and len(data) == 2:
                yield f"{said}. This value is right, but the choice is wrong.", place.line

    def parting(self, patterns: set[Pattern]) -> Told:
        """The first step that the solution does not take. If by its `patterns` the elements are
        others, only a number in the code tells anything."""
        found, of_others = self._ways.first_parting, Pattern.OTHER_ELEMENTS in patterns
        if found and not (of_others and found.constant is None):
            wrong = patterns & {Pattern.OTHER_ELEMENTS, Pattern.CONSTANT_WON}
            right = "" if wrong else "The values before this step are right."
            yield found.told + Message(why=right), found.place.line

    def goes_on(self, from_parts: bool) -> Told:
        """The solution has the value too, and makes another of it."""
        if further := self._ways.goes_on(from_parts):
            fact = "This value is only an intermediate result: a step after it is missing."
            yield Message(fact, ours=f"Our kernel then {further}."), None

    def other_order(self) -> Told:
        """The first sum, maximum or the like of two values that the solution does not take."""
        if found := self._in_another_order:
            more = Message(
                why=f"{self._here} uses the right elements. Their order may be another one, but "
                "not the result."
            )
            yield found.told + more, found.place.line

    def scaled(self) -> Told:
        """All wrong elements wrong by one factor, or by one amount."""
        found, expected = self.pair.wrong.found, self.pair.wrong.expected
        if not all(np.isfinite(one).all() for one in (found, expected)):
            return
        with np.errstate(all="ignore"):
            ratio, off = found / expected, found - expected
        first = ratio.flat[0]
        is_telling = (len(ratio) > 1 or whole(first)) and abs(first - 1) > 1e-3
        if found.all() and expected.all() and constant(ratio) and is_telling:
            times = float(ratio.mean())
            what = (
                f"is {factor(times)} what it should be"
                if abs(times + 1) > 1e-3
                else "has the wrong sign"
            )
        elif len(off) > 1 and constant(off):
            amount = float(off.mean())
            what = f"is {abs(amount):.6g} too {'large' if amount > 0 else 'small'}"
        else:
            return
        same = f" {self._here} uses the right elements." if self._same else ""
        which = "It" if len(found) == 1 else f"Each of the {len(found)} wrong elements"
        yield f"{which} {what}.{same}", None

    def arithmetic(self) -> Told:
        """Another result of the right elements."""
        if self._same:
            remedy = "Compare your formula with that of the task, step by step."
            fact = f"{self._here} uses the right elements, but the arithmetic is wrong."
            yield Message(fact, remedy=remedy), None

    def first_step(self) -> ThreadPlace | None:
        """The first step that goes wrong, with its value: it loads what does not belong here, makes
        a NaN, chooses otherwise than ours, or is one that ours does not take."""
        strange = [one for one in self.mine.used if one.first not in self._ours]
        if strange and self._all_told:
            first = strange[0].first
            array = self.words.problem.inputs.get(first.buffer, np.empty(0))
            return strange[0].loaded.with_values(*array.flat[first.index : first.index + 1])
        if self.mine.nan and self._arose:
            return self.mine.nan.with_values(math.nan, *self.mine.operands)
        if found := self._fell:
            return found[0].place.with_values(found[0].taken, *found[0].values)
        parting = self._ways.first_parting or self._in_another_order
        return parting.place if parting else None

    def told(self) -> list[Said]:
        """What it is made of, if that is wrong, is told first, then what was done with it."""
        made_of = _first(
            (Pattern.NOBODY_WROTE, self.nobody),
            (Pattern.OTHER_ELEMENTS, self.without_stride),
            (Pattern.OTHER_ELEMENTS, self.shuffled),
            (Pattern.OTHER_PLACE, self.other_place),
            (Pattern.CONSTANT_WON, self.constant),
            (Pattern.CONSTANT_WON, self.constant_extreme),
            (Pattern.OTHER_ELEMENTS, self.other_elements),
            (Pattern.OTHER_ELEMENTS, self.other_summands),
            (Pattern.TOO_OFTEN, self.too_often),
            (Pattern.OTHER_PLACE, self.other_winner),
        )
        done = _first((Pattern.FIRST_NAN, self.nan), (Pattern.CANCELLED, self.cancelled))
        done += [] if made_of else _first((Pattern.SCALED, self.scaled))
        patterns = {pattern for pattern, _, _ in made_of}
        done += _first(
            (Pattern.CHOSEN_OTHERWISE, self.decided),
            (Pattern.CHOSEN_OTHERWISE, self.chosen),
            (Pattern.OTHER_STEP, partial(self.parting, patterns)),
            (Pattern.LEFT_EARLY, partial(self.goes_on, bool(made_of))),
        )
        return [*made_of, *done] or _first(
            (Pattern.OTHER_PLACE, self.tie),
            (Pattern.OTHER_STEP, self.other_order),
            (Pattern.OTHER_STEP, self.arithmetic),
        )


def _first(*rules: tuple[Pattern, Callable[[], Told]]) -> list[Said]:
    """What the first rule says that applies."""
    said = (
        (pattern, Message(told) if isinstance(told, str) else told, line)
        for pattern, rule in rules
        for told, line in rule()
    )
    return list(islice(said, 1))


def explained(result: CaseResult, pair: Pair, words: Words) -> CaseResult:
    """`result` with sentences on why, and the line that it is about, as far as that was seen."""
    about = Explanation(pair, words)
    result = replace(result, made_of=about.parts(), differs=about.first_step())
    told = about.told()
    if not told:
        return result
    line = next((line for _, _, line in told if line), None)
    parts = replace(result.parts, why="", remedy="")
    for _, message, _ in told:
        parts += replace(message, remedy="")
    if line is None and pair.wrong.written and (stored := pair.mine.stored):
        parts += Message(f"{capital(stored.who)} wrote it{stored.on}.")
        line = stored.line
    patterns = tuple(str(pattern) for pattern, _, _ in told)
    pattern, lead, _ = next((one for one in told if one[0] == Pattern.LEFT_EARLY), told[0])
    advice = lead.remedy, result.parts.remedy, say.NEXT.get(pattern)
    remedy = next(filter(None, advice), "")  # one is enough
    result = result.saying(parts + Message(why=result.parts.why, remedy=remedy))
    return replace(result, line=line, patterns=patterns)
