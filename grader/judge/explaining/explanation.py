"""Why an element is wrong: what it was made of and what was done with that, held against what the
solution makes it of.

Only what was seen in the two runs is said. Both are followed on the simulated device (see
`sandbox.slices`), in the worker's process; what is expected stays here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ...counted import counted
from ...status import Pattern
from ..protocol import Choice
from ..verdict import CaseResult
from ..words import Words
from . import telling
from .made_of import MadeOf
from .telling import About, Pair, Told

_ASKS = {
    **{"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="},
    **{"lo": "<", "ls": "<=", "hi": ">", "hs": ">="},
    **{"equ": "==", "neu": "!=", "ltu": "<", "leu": "<=", "gtu": ">", "geu": ">="},
}


def fell_otherwise(mine: Sequence[Choice], ours: Sequence[Choice]) -> tuple[Choice, Choice] | None:
    """The first choice of `mine` that fell otherwise than one of `ours` about the same value."""
    about: dict[object, dict[object, Choice]] = {}  # by a value and where it stands
    for one in ours:
        for value in _about(one):
            about.setdefault(value, {}).setdefault((one.opcode, one.holds, one.taken), one)
    for one in _new(mine, ours):
        others = [other for value in _about(one) for other in about.get(value, {}).values()]
        apart = [other for other in others if _apart(one, other)]
        if apart:
            return one, min(apart, key=lambda other: other.opcode != one.opcode)
    return None


def _new(mine: Sequence[Choice], ours: Sequence[Choice]) -> list[Choice]:
    """Those of `mine` that `ours` does not have."""
    known = {_asked(one) for one in ours}
    return [one for one in mine if _asked(one) not in known]


def strange_number(one: Choice, other: Choice) -> float | None:
    """A number that stands in the code of `one`, and not in that of `other`."""
    numbers = [
        [v for v, fixed in zip(c.values, c.fixed, strict=True) if fixed] for c in (one, other)
    ]
    return next((number for number in numbers[0] if number not in numbers[1]), None)


def with_nan(mine: Sequence[Choice]) -> Choice | None:
    """The first choice by a comparison with NaN."""
    return next((one for one in mine if any(map(math.isnan, one.values))), None)


def _question(choice: Choice) -> str:
    one, other = choice.values
    asks = next((_ASKS[part] for part in choice.opcode.split(".") if part in _ASKS), "against")
    return f"asks whether {one:.6g} {asks} {other:.6g}, and takes {choice.taken:.6g}"


def _asked(one: Choice) -> tuple[object, ...]:
    return one.opcode, *(f"{value:.5g}" for value in one.values), one.holds


def _about(one: Choice) -> list[tuple[int, str]]:
    """Its values that do not stand in the code, with their places."""
    numbered = enumerate(zip(one.values, one.fixed, strict=True))
    return [(place, f"{value:.5g}") for place, (value, fixed) in numbered if not fixed]


def _apart(one: Choice, other: Choice) -> bool:
    """Whether two choices about the same value took another, and by another answer or question."""
    return one.taken != other.taken and (one.opcode != other.opcode or one.holds != other.holds)


class DoneWith(About):
    """The steps on its way."""

    def nan(self) -> Told:
        """Where the first NaN arises."""
        place = self.mine.nan
        if place is None or not math.isnan(self._found):
            return None
        what = " and ".join(f"{one:g}" for one in self.mine.operands)
        made = f", made of {what}" if len(self.mine.operands) > 1 else ""
        return f"The first NaN on its way arises {telling.at(place)}{made}.", None

    def chosen(self) -> Told:
        """The first `?:` on its way that fell otherwise than in the solution."""
        found = fell_otherwise(self.mine.choices, self.ours.choices)
        if found is not None:
            one, other = found
            said = f"{self._choice(one)}; ours {_question(other)}."
            number = strange_number(one, other)
            said += (
                "" if number is None else f" The {number:g} stands in the code, and not in ours."
            )
            return said, one.place.line
        for mine in _new(self.mine.choices, self.ours.choices):
            if won := self._ways.beaten(mine.values, mine.taken):
                return f"{self._choice(mine)}; ours {won}.", mine.place.line
        nan = with_nan(self.mine.choices)
        if nan is None or with_nan(self.ours.choices):
            return None
        return f"{self._choice(nan)}: no comparison with NaN holds.", nan.place.line

    def _choice(self, one: Choice) -> str:
        where = f"on line {one.place.line} " if one.place.line else ""
        return telling.capital(f"{where}{telling.who(one.place)} {_question(one)}")

    def parting(self) -> Told:
        """The first step that the solution does not take."""
        found = self._ways.parting()
        if found is None:
            return None
        sentence = f"The first step on its way that ours does not take: {telling.parted(found)}."
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
            f"not take: {telling.parted(found)}. Another order is no mistake, another value is.",
            found.place.line,
        )

    def scaled(self) -> Told:
        """All wrong elements wrong by one factor, or by one amount."""
        found, expected = self.pair.wrong.found, self.pair.wrong.expected
        if not (np.isfinite(found).all() and np.isfinite(expected).all()):
            return None
        with np.errstate(all="ignore"):
            ratio, off = found / expected, found - expected
        what = ""
        is_telling = (len(ratio) > 1 or telling.whole(ratio.flat[0])) and abs(
            ratio.flat[0] - 1
        ) > 1e-3
        if found.all() and expected.all() and telling.constant(ratio) and is_telling:
            what = f"{telling.factor(float(ratio.mean()))} what it should be"
        elif len(off) > 1 and telling.constant(off):
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
                    f"An element passes {_number(mine, kind)} on its way into "
                    f"{self._here}, and {_number(ours, kind)} in a right kernel."
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


def _number(count: int, kind: str) -> str:
    return counted(count, kind) if count else f"no {kind}s"


def explained(result: CaseResult, pair: Pair, words: Words) -> CaseResult:
    """`result` with a sentence on why, and the line that it is about, as far as that was seen."""
    made_of, done_with = MadeOf(pair, words), DoneWith(pair, words)
    result = replace(result, made_of=made_of.parts())
    told = [(pattern, one) for pattern, one in _all_told(made_of, done_with) if one]
    if not told:
        return result
    line = next((line for _, (_, line) in told if line), None)
    sentences = [sentence for _, (sentence, _) in told]
    if line is None and pair.wrong.written and pair.mine.stored:
        sentences.append(made_of.stored(pair.mine.stored))
    message = " ".join([result.message, *sentences])
    patterns = tuple(str(pattern) for pattern, _ in told)
    return replace(result, message=message, line=line, patterns=patterns)


def _all_told(parts: MadeOf, steps: DoneWith) -> Iterator[tuple[Pattern, Told]]:
    """What it is made of, if that is amiss, is told first, then what was done with it."""
    made_of = _first(
        (Pattern.NOBODY_WROTE, parts.nobody),
        (Pattern.OTHER_PLACE, parts.other_place),
        (Pattern.CONSTANT_WON, parts.constant),
        (Pattern.CONSTANT_WON, parts.constant_extreme),
        (Pattern.OTHER_ELEMENTS, parts.other_elements),
        (Pattern.OTHER_ELEMENTS, parts.other_summands),
        (Pattern.TOO_OFTEN, parts.too_often),
        (Pattern.OTHER_PLACE, parts.other_winner),
    )
    right = not any(told for _, told in made_of)
    done = [(Pattern.FIRST_NAN, steps.nan())]
    done += [(Pattern.SCALED, steps.scaled())] if right else []
    done += _first(
        (Pattern.CHOSEN_OTHERWISE, steps.chosen),
        (Pattern.OTHER_STEP, steps.parting),
        (Pattern.LEFT_EARLY, partial(steps.goes_on, not right)),
    )
    yield from [*made_of, *done]
    if right and not any(told for _, told in done):
        yield from _first(
            (Pattern.OTHER_PLACE, parts.tie),
            (Pattern.OTHER_STEP, steps.other_order),
            (Pattern.OTHER_STEP, steps.fewer_steps),
            (Pattern.OTHER_STEP, steps.arithmetic),
        )


def _first(*rules: tuple[Pattern, Callable[[], Told]]) -> list[tuple[Pattern, Told]]:
    """What the first rule says that applies."""
    return next(([(pattern, told)] for pattern, rule in rules if (told := rule())), [])
