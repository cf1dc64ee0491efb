"""Who has read each place: enough readers that a write which races with any read is noticed.

Of each place two reads are kept, of the lowest and of the highest thread among those that nothing
orders: in different blocks if any two of them are, else in different warps if any two are. Whoever
writes there is of another block, warp or lane than one of the two. A barrier that orders both
orders them all. Where more than whole barriers order (flags, barriers of a part), this does not
follow, and every read that has to give way is put aside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...machine.lanes import WARP
from .ordering import Ordering, lane_of

_MOST_ASIDE = 1 << 20  # reads put aside before those of one place and warp are made one


class Readers:
    """The reads of `cells` places. `unordered` is as a `RaceDetector` has it."""

    def __init__(self, cells: int, unordered: Callable[..., Any], ordering: Ordering):
        self.unordered, self.ordering = unordered, ordering
        self.first = np.zeros(cells, np.int64)
        self.last = np.zeros(cells, np.int64)
        self.aside: list[tuple[np.ndarray, np.ndarray]] = []  # (cells, stamps)
        self.many_aside = 0
        self.crowded: np.ndarray | None = None  # the cells of which there are reads aside

    def reset(self) -> None:
        self.first[:] = 0
        self.last[:] = 0
        self.aside, self.many_aside, self.crowded = [], 0, None

    def note(self, cells: np.ndarray, lane: np.ndarray, stamps: np.ndarray) -> None:
        """Lanes, in rising order, read; what their reads come after need not be remembered."""
        first, last = self.first[cells], self.last[cells]
        if self.unordered(np.maximum(first, last), lane) is None:
            self.first[cells[::-1]] = stamps[::-1]
            self.last[cells] = stamps
        else:
            self._note_among(cells, lane, stamps, first, last)
        if self.ordering.partial:
            between = (self.first[cells] != stamps) & (self.last[cells] != stamps)
            self._put_aside(cells[between], stamps[between])

    def _note_among(
        self,
        cells: np.ndarray,
        lane: np.ndarray,
        stamps: np.ndarray,
        first: np.ndarray,
        last: np.ndarray,
    ) -> None:
        """Lanes have read places where there may be reads, `first` and `last`, that nothing orders
        before theirs. One of an earlier wave stays: it races with any write of this one."""
        late = [_all_if_none(self.unordered(kept, lane), False) for kept in (first, last)]
        lower = ~late[0] | ((lane < lane_of(first)) & self.ordering.here(first))
        higher = ~late[1] | (lane > lane_of(last))
        if self.ordering.partial:
            for kept, given_way in ((first, late[0] & lower), (last, late[1] & higher)):
                self._put_aside(cells[given_way], kept[given_way])
        for kept, chosen in ((self.first, lower.nonzero()[0][::-1]), (self.last, higher)):
            kept[cells[chosen]] = stamps[chosen]  # of several the one written last stays

    def unordered_reads(self, cells: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """(positions in `cells`, stamps): what a write of these cells has to come after."""
        everywhere = np.arange(len(cells))
        yield everywhere, self.first[cells]
        yield everywhere, self.last[cells]
        if self.crowded is not None and self.crowded[cells].any():
            yield self._taken_from_aside(cells)

    def _put_aside(self, cells: np.ndarray, stamps: np.ndarray) -> None:
        if not len(cells):
            return
        if self.crowded is None:
            self.crowded = np.zeros(len(self.first), bool)
        self.crowded[cells] = True
        self.aside.append((cells, stamps))
        self.many_aside += len(cells)
        if self.many_aside > _MOST_ASIDE:
            self._thin_out()

    def _thin_out(self) -> None:
        """Of one place and one warp only the latest read is kept."""
        cells, stamps = (np.concatenate(parts) for parts in zip(*self.aside, strict=True))
        order = np.lexsort((stamps, lane_of(stamps) // WARP, cells))
        cells, stamps = cells[order], stamps[order]
        warp = lane_of(stamps) // WARP
        latest = np.r_[(cells[1:] != cells[:-1]) | (warp[1:] != warp[:-1]), True]
        self.aside, self.many_aside = [(cells[latest], stamps[latest])], 0

    def _taken_from_aside(self, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The reads put aside of these cells, which are forgotten: the write comes after them,
        or is reported."""
        all_cells, stamps = (np.concatenate(parts) for parts in zip(*self.aside, strict=True))
        order = np.argsort(cells, kind="stable")
        where = order[np.minimum(np.searchsorted(cells[order], all_cells), len(cells) - 1)]
        asked = cells[where] == all_cells
        self.aside = [(all_cells[~asked], stamps[~asked])]
        if self.crowded is not None:
            self.crowded[cells] = False
        return where[asked], stamps[asked]


def _all_if_none(mask: np.ndarray | None, otherwise: bool) -> Any:
    return otherwise if mask is None else mask
