"""The phrases that explanations are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import numpy as np

from ..protocol import Element, Place
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


def who(place: Place) -> str:
    return f"thread {place.thread} of block {place.block}"


def on(place: Place) -> str:
    return f" on line {place.line}" if place.line else ""


def at(place: Place) -> str:
    return f"{'on line ' + str(place.line) if place.line else 'in the kernel'}, in {who(place)}"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
