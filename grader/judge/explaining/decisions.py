"""What an element's value was chosen by, held against the solution's: the first comparison that
fell otherwise, and the words for it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..protocol import Choice

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
    for one in new(mine, ours):
        others = [other for value in _about(one) for other in about.get(value, {}).values()]
        apart = [other for other in others if _apart(one, other)]
        if apart:
            return one, min(apart, key=lambda other: other.opcode != one.opcode)
    return None


def new(mine: Sequence[Choice], ours: Sequence[Choice]) -> list[Choice]:
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


def words(choice: Choice) -> str:
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
