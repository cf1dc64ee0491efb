"""What became faster or slower than a recording."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .timings import Size, Timings

LEAST = 0.01  # of the time: less is no news, however sure


@dataclass(frozen=True)
class Change:
    """A variant or library at one size: its medians in ms, then and now."""

    benchmark: str
    variant: str
    size: Size
    then: float
    now: float

    @property
    def times_as_fast(self) -> float:
        return self.then / self.now


def changes(now: Timings, then: Timings) -> Iterator[Change]:
    """Of what both have: that whose middle four fifths of the times do not even touch, and whose
    medians differ by LEAST or more."""
    for row in now.rows:
        before = then.row(row.variant, row.size)
        if before is None or (row.low <= before.high and before.low <= row.high):
            continue
        if abs(row.ms - before.ms) >= LEAST * before.ms:
            yield Change(now.name, row.variant, row.size, before.ms, row.ms)


def compared(now: Timings, then: Timings) -> int:
    """How many rows both have."""
    return sum(then.row(row.variant, row.size) is not None for row in now.rows)
