"""Who has read each place: enough readers that a write which races with any read is noticed.

Of each place two reads are kept, of threads as far apart as there are: in different blocks rather
than warps, in different warps rather than one. A barrier that orders both orders them all. Where
more than whole barriers order (flags, barriers of a part), this does not follow, and every read
that has to give way is put aside.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..lanes import WARP
from .ordering import Ordering, lane_of

_MOST_ASIDE = 1 << 20  # reads put aside before those of one place and warp are made one


class Readers:
    """The reads of `cells` places. `unordered` is as a `RaceDetector` has it."""

    def __init__(self, cells: int, unordered: Callable, ordering: Ordering):
        self.unordered, self.ordering = unordered, ordering
        self.block = ordering.geometry.block_of_lane
        self.first = np.zeros(cells, np.int64)
        self.last = np.zeros(cells, np.int64)  # as a rule by another thread than `first`
        self.aside: list[tuple[np.ndarray, np.ndarray]] = []  # (cells, stamps)
        self.many_aside = 0
        self.crowded: np.ndarray | None = None  # the cells of which there are reads aside

    def forget(self) -> None:
        self.first[:] = 0
        self.last[:] = 0
        self.aside, self.many_aside, self.crowded = [], 0, None

    def note(self, cells: np.ndarray, lane: np.ndarray, stamps: np.ndarray) -> None:
        """Lanes read; what their reads come after need not be remembered."""
        first = self.first[cells]
        late = self.unordered(first, lane)
        if late is None:
            self.first[cells] = stamps
        elif np.count_nonzero(~late):
            self.first[cells[~late]] = stamps[~late]
        first = self.first[cells]
        another = first != stamps
        if np.count_nonzero(another):
            self._second(*(part[another] for part in (cells, lane, stamps, first)))

    def _second(self, cells, lane, stamps, first) -> None:
        """Lanes have read places that others have read first."""
        apart = self._apart(lane, first)
        if not self.ordering.partial and not apart.any() and not self.last[cells].any():
            self.last[cells] = stamps
            return
        last = self.last[cells]
        nearer = (last != 0) & (apart < self._apart(lane_of(last), first))
        if np.count_nonzero(nearer):
            nearer[nearer] = _all_if_none(self.unordered(last[nearer], lane[nearer]), False)
        if self.ordering.partial:
            self._put_aside(cells, last)
            self._put_aside(cells, stamps)
        for distance in range(3):  # the one furthest away is written last, and stays
            chosen = ~nearer & (apart == distance)
            self.last[cells[chosen]] = stamps[chosen]

    def _apart(self, lane: np.ndarray, stamps: np.ndarray) -> np.ndarray:
        """0 for threads of one warp, 1 for those of one block, 2 for others."""
        other = lane_of(stamps)
        return (lane // WARP != other // WARP).astype(np.int8) + (
            self.block[lane] != self.block[other]
        )

    def unordered_reads(self, cells: np.ndarray):
        """(positions in `cells`, stamps): what a write of these cells has to come after."""
        everywhere = np.arange(len(cells))
        yield everywhere, self.first[cells]
        yield everywhere, self.last[cells]
        if self.crowded is not None and self.crowded[cells].any():
            yield self._taken_from_aside(cells)

    def _put_aside(self, cells: np.ndarray, stamps: np.ndarray) -> None:
        if self.crowded is None:
            self.crowded = np.zeros(len(self.first), bool)
        known = stamps != 0
        self.crowded[cells[known]] = True
        self.aside.append((cells[known], stamps[known]))
        self.many_aside += int(np.count_nonzero(known))
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
        self.crowded[cells] = False
        return where[asked], stamps[asked]


def _all_if_none(mask: np.ndarray | None, otherwise: bool):
    return otherwise if mask is None else mask
