"""Data races: two accesses to one place, at least one a write, that nothing orders.

The method is that of happens-before detectors such as FastTrack (Flanagan and Freund, 2009), cut
down to what a GPU orders by (see `ordering`). Each place remembers its last write and its reads;
an access races with a remembered one if nothing orders the two. Threads of a warp
are not "always in sync": a race shows even if the lanes ran in step.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from ...machine.lanes import WARP
from .ordering import COMPARED, NARROW, STRONG, Ordering, epoch_of, lane_of, stamped

# (stamps, lanes) -> which stamped accesses nothing orders before the lanes' next; None: none
Unordered = Callable[[np.ndarray, np.ndarray], np.ndarray | None]


class Readers:
    """Who has read each of `cells` places: enough readers that a write which races with any read
    is noticed.

    Of each place two reads are kept, of the lowest and of the highest thread among those that
    nothing orders: in different blocks if any two of them are, else in different warps if any two
    are. Whoever writes there is of another block, warp or lane than one of the two. A barrier that
    orders both orders them all. Where more than whole barriers order (flags, barriers of a part),
    this does not follow, and every read that has to give way is put aside.
    """

    def __init__(self, cells: int, unordered: Unordered, ordering: Ordering):
        self.unordered, self.ordering = unordered, ordering
        self.first, self.last = np.zeros((2, cells), np.int64)
        self.aside: list[tuple[np.ndarray, np.ndarray]] = []  # (cells, stamps)
        self.many_aside, nothing = 0, np.zeros(0, np.int64)
        self.by_cell = nothing, nothing  # what was put aside before, by rising cell; 0: forgotten
        self.crowded = np.zeros(cells, bool)  # those of which there are reads aside

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
        late = [False if m is None else m for m in map(self.unordered, (first, last), (lane, lane))]
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
        if self.crowded[cells].any():
            yield self._taken_from_aside(cells)

    def _put_aside(self, cells: np.ndarray, stamps: np.ndarray) -> None:
        if len(cells):
            self.crowded[cells] = True
            self.aside.append((cells, stamps))
            self.many_aside += len(cells)
        if self.many_aside > 1 << 20:  # of one place and one warp only the latest read stays
            cells, stamps = self._all_aside()
            order = np.lexsort((stamps, lane_of(stamps) // WARP, cells))
            cells, stamps = cells[order], stamps[order]
            warp = lane_of(stamps) // WARP
            latest = np.r_[(cells[1:] != cells[:-1]) | (warp[1:] != warp[:-1]), True]
            self.by_cell, self.many_aside = (cells[latest], stamps[latest]), 0

    def _all_aside(self) -> tuple[np.ndarray, np.ndarray]:
        """(cells, stamps) of all reads put aside, by rising cell."""
        cells, stamps = map(np.concatenate, zip(self.by_cell, *self.aside, strict=True))
        known = np.flatnonzero(stamps)
        order = known[np.argsort(cells[known], kind="stable")]  # fast, as much is sorted
        self.aside = []
        return cells[order], stamps[order]

    def _taken_from_aside(self, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The reads put aside of these cells, which are forgotten: the write comes after them,
        or is reported."""
        if self.aside:
            self.by_cell = self._all_aside()
        all_cells, stamps = self.by_cell
        first, end = (np.searchsorted(all_cells, cells, side) for side in ("left", "right"))
        number = end - first
        where = np.repeat(np.arange(len(cells)), number)
        places = np.arange(len(where)) + np.repeat(first - np.cumsum(number) + number, number)
        taken = stamps[places]
        stamps[places] = 0
        self.crowded[cells] = False
        return where[taken > 0], taken[taken > 0]


@dataclass(frozen=True)
class Conflict:
    """A lane's access (its position) and the stamp of an earlier one that it races with."""

    position: int
    other: int
    other_wrote: bool
    benign: bool = False  # both wrote the same value in the same instruction


class Touched(NamedTuple):
    """What an instruction has done in an `epoch`."""

    cells: np.ndarray
    lane: np.ndarray  # by cell, who touched it
    epoch: int
    stamps: np.ndarray  # LANDED, if it arrived by itself


class RaceDetector:
    """Watches `cells` places. `unordered` says which accesses nothing orders; with `reads` false
    nobody reads the places plainly."""

    def __init__(self, cells: int, unordered: Unordered, ordering: Ordering, reads: bool = True):
        self.unordered, self.ordering = unordered, ordering
        self.reads = reads
        self.narrow = False  # whether a strong access was ever for its block only
        self.written = np.zeros(cells, np.int64)
        self.readers = Readers(cells, unordered, ordering)
        self.strong_readers: Readers | None = None  # from the first strong read on

    def read(
        self, cells: np.ndarray, lane: np.ndarray, stamps: np.ndarray, marks: int = 0
    ) -> Conflict | None:
        """`marks`, which the stamps get: STRONG for a volatile load, which strong writes are
        ordered with; COMPARED for the plain load that a loop of compare-and-swap starts from: an
        old value costs it a turn."""
        conflict = self.conflict(
            self._but_compared(self.written[cells], lane, marks), lane, wrote=True
        )
        if marks & STRONG and self.strong_readers is None:
            self.strong_readers = Readers(len(self.written), self.unordered, self.ordering)
        readers = (marks & STRONG and self.strong_readers) or self.readers
        readers.note(cells, lane, stamps | marks if marks else stamps)
        return conflict

    def write(
        self, touched: Touched, unchanged: np.ndarray, same_site: Callable[[int], bool]
    ) -> Conflict | None:
        """`unchanged`: per lane, whether the place held the value already. `same_site(epoch)`:
        whether the instruction that writes now did something then, too."""
        cells, lane, _, stamps = touched
        conflict = self.conflict(self.written[cells], lane, wrote=True)
        if conflict and unchanged[conflict.position] and same_site(epoch_of(conflict.other)):
            conflict = replace(conflict, benign=True)
        conflict = self._worse(conflict, cells, lane, 0)
        self.written[cells] = stamps
        return conflict

    def strong(
        self, cells: np.ndarray, lane: np.ndarray, epoch: int, marks: int
    ) -> Conflict | None:
        """Atomics and the like are ordered among themselves, not with plain accesses."""
        conflict = self.conflict(self._against(self.written[cells], lane, marks), lane, wrote=True)
        conflict = self._worse(conflict, cells, lane, marks)
        self.written[cells] = stamped(epoch, lane, marks)
        if conflict is None and marks & NARROW:
            # Atomics of the block's scope, made in one instruction by threads of several blocks.
            others = self.written[cells]
            return self._first(self.ordering.elsewhere(others, lane), others, wrote=True)
        return conflict

    def _worse(
        self, conflict: Conflict | None, cells: np.ndarray, lane: np.ndarray, marks: int
    ) -> Conflict | None:
        """The conflict given, unless it is none or benign and a read gives a real one."""
        if conflict is not None and not conflict.benign:
            return conflict
        for position, stamps in chain.from_iterable(
            readers.unordered_reads(cells)
            for readers in filter(None, (self.readers if self.reads else None, self.strong_readers))
        ):
            stamps = self._but_compared(stamps, lane[position], marks)
            if read := self.conflict(stamps, lane[position], wrote=False):
                return replace(read, position=int(position[read.position]))
        return conflict

    def _but_compared(self, stamps: np.ndarray, lane: np.ndarray, marks: int) -> np.ndarray:
        """The same as `_against`, where what compares and swaps does not race with its like."""
        stamps = self._against(stamps, lane, marks)
        return np.where(stamps & COMPARED, 0, stamps) if marks & COMPARED else stamps

    def _against(self, stamps: np.ndarray, lane: np.ndarray, marks: int) -> np.ndarray:
        """The stamps that an access with these marks may race with. A strong access does not race
        with a strong one if both threads are in its scope."""
        self.narrow |= bool(marks & NARROW)
        if not marks & STRONG:
            return stamps
        if not self.narrow:
            return np.where(stamps & STRONG, 0, stamps)
        apart = self.ordering.elsewhere(stamps, lane)
        if not marks & NARROW:
            apart &= stamps & NARROW != 0
        return np.where((stamps & STRONG != 0) & ~apart, 0, stamps)

    def conflict(self, stamps: np.ndarray, lane: np.ndarray, wrote: bool) -> Conflict | None:
        """With the first of the accesses with these stamps that nothing orders before the lanes."""
        return self._first(self.unordered(stamps, lane), stamps, wrote)

    def _first(self, racing: np.ndarray | None, stamps: np.ndarray, wrote: bool) -> Conflict | None:
        if racing is None or not np.count_nonzero(racing):
            return None
        position = int(np.argmax(racing))
        return Conflict(position, int(stamps[position]), wrote)
