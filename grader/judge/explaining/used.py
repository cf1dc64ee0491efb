"""The elements that went into a value: how often, in which runs, and who loaded them; and numbers
in words.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter, itemgetter

import numpy as np

from ...cuda.errors import Message
from ..protocol import Element, Made, ThreadPlace, Used

Times = dict[Element, int]  # how often each element went in
# A message, or a fact without advice, and the line that it is about; or nothing.
Told = Iterator[tuple[str | Message, int | None]]
MUCH_LARGER = 1025  # times: no factor in a formula


in_order = attrgetter("buffer", "index")  # of elements


def runs(values: Mapping[Element, object]) -> Iterator[list[Element]]:
    """Neighbouring elements of one value."""
    ordered = sorted(values, key=in_order)
    alike = [(one.buffer, one.index - at, values[one]) for at, one in enumerate(ordered)]
    for _, group in groupby(zip(alike, ordered, strict=True), itemgetter(0)):
        yield [one for _, one in group]


def constant(values: np.ndarray, apart: float = 1e-4) -> bool:
    """Whether all are alike, but for rounding: so far apart at most, of the largest."""
    return bool(np.ptp(values) <= apart * np.abs(values).max())


def whole(ratio: float) -> bool:
    """Whether a ratio is a whole number, or one over a whole number; for one element alone any
    other is no pattern."""
    larger = max(abs(ratio), 1 / max(abs(ratio), 1e-30))
    return 1.5 < larger < MUCH_LARGER and abs(larger - round(larger)) < 1e-4 * larger


def factor(ratio: float) -> str:
    """ "1/4 of" or "3 times"."""
    return (
        f"1/{round(1 / ratio)} of"
        if 0 < abs(ratio) < 0.7 and abs(1 / ratio - round(1 / ratio)) < 1e-3
        else f"{ratio:.6g} times"
    )


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
    return (
        f"threads of {_run('block', blocks)}"
        if len(blocks) > 1
        else f"{_run('thread', sorted({one.thread for one in places}))} of block {blocks[0]}"
    )


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


def near(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-4)
