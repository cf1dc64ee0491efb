"""Data races: two accesses to one place, at least one a write, that nothing orders.

The method is that of happens-before detectors such as FastTrack (Flanagan and Freund, 2009), cut
down to what a GPU orders by (see `ordering`). Each place remembers its last write and its reads
(see `readers`); an access races with a remembered one if nothing orders the two. Threads of a warp
are not "always in sync": a race shows even if the lanes ran in step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .ordering import COMPARED, NARROW, STRONG, Ordering, epoch_of, stamped
from .readers import Readers

# (stamps, lanes) -> which stamped accesses nothing orders before the lanes' next; None: none
Unordered = Callable[[np.ndarray, np.ndarray], np.ndarray | None]


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
    marks: int  # LANDED for what arrived by itself, or 0


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

    def reset(self) -> None:
        """The places belong to others now."""
        self.written[:] = 0
        self.readers.reset()
        self.strong_readers = None

    def read(
        self, cells: np.ndarray, lane: np.ndarray, epoch: int, marks: int = 0
    ) -> Conflict | None:
        """`marks`: STRONG for a volatile load, which strong writes are ordered with; COMPARED for
        the plain load that a loop of compare-and-swap starts from: an old value costs it a turn."""
        written = self._against(self.written[cells], lane, marks)
        if marks & COMPARED:
            written = np.where(written & COMPARED, 0, written)
        conflict = self._conflict(written, lane, wrote=True)
        if marks & STRONG and self.strong_readers is None:
            self.strong_readers = Readers(len(self.written), self.unordered, self.ordering)
        readers = (marks & STRONG and self.strong_readers) or self.readers
        readers.note(cells, lane, stamped(epoch, lane, marks))
        return conflict

    def write(
        self, touched: Touched, unchanged: np.ndarray, same_site: Callable[[int], bool]
    ) -> Conflict | None:
        """`unchanged`: per lane, whether the place held the value already. `same_site(epoch)`:
        whether the instruction that writes now did something then, too."""
        cells, lane, epoch, marks = touched
        conflict = self._conflict(self.written[cells], lane, wrote=True)
        if conflict and unchanged[conflict.position] and same_site(epoch_of(conflict.other)):
            conflict = replace(conflict, benign=True)
        conflict = self._worse(conflict, cells, lane, 0)
        self.written[cells] = stamped(epoch, lane, marks)
        return conflict

    def strong(
        self, cells: np.ndarray, lane: np.ndarray, epoch: int, marks: int
    ) -> Conflict | None:
        """Atomics and the like are ordered among themselves, not with plain accesses."""
        conflict = self._conflict(self._against(self.written[cells], lane, marks), lane, wrote=True)
        conflict = self._worse(conflict, cells, lane, marks)
        self.written[cells] = stamped(epoch, lane, marks)
        return conflict or (self._too_narrow(cells, lane) if marks & NARROW else None)

    def _too_narrow(self, cells: np.ndarray, lane: np.ndarray) -> Conflict | None:
        """Atomics of the block's scope, made in one instruction by threads of several blocks."""
        others = self.written[cells]
        apart = self.ordering.elsewhere(others, lane)
        if not np.count_nonzero(apart):
            return None
        position = int(np.argmax(apart))
        return Conflict(position, int(others[position]), other_wrote=True)

    def collisions(self, cells: np.ndarray, lane: np.ndarray, epoch: int, marks: int) -> np.ndarray:
        """After a write: the positions whose place another lane wrote in the same epoch."""
        return (self.written[cells] != stamped(epoch, lane, marks)).nonzero()[0]

    def _worse(
        self, conflict: Conflict | None, cells: np.ndarray, lane: np.ndarray, marks: int
    ) -> Conflict | None:
        """The conflict given, unless it is none or benign and a read gives a real one."""
        if conflict is not None and not conflict.benign:
            return conflict
        kinds = [self.readers] if self.reads else []
        kinds += [self.strong_readers] if self.strong_readers else []
        for readers in kinds:
            for position, stamps in readers.unordered_reads(cells):
                stamps = self._against(stamps, lane[position], marks)
                if marks & COMPARED:
                    stamps = np.where(stamps & COMPARED, 0, stamps)
                read = self._conflict(stamps, lane[position], wrote=False)
                if read:
                    return replace(read, position=int(position[read.position]))
        return conflict

    def _against(self, stamps: np.ndarray, lane: np.ndarray, marks: int) -> np.ndarray:
        """The stamps that an access with these marks may race with: for a strong one not those
        of others that are strong in a scope which both are in."""
        self.narrow |= bool(marks & NARROW)
        if not marks & STRONG:
            return stamps
        if not self.narrow:
            return np.where(stamps & STRONG, 0, stamps)
        apart = self.ordering.elsewhere(stamps, lane)
        if not marks & NARROW:
            apart &= stamps & NARROW != 0
        return np.where((stamps & STRONG != 0) & ~apart, 0, stamps)

    def _conflict(self, stamps: np.ndarray, lane: np.ndarray, wrote: bool) -> Conflict | None:
        racing = self.unordered(stamps, lane)
        if racing is None or not np.count_nonzero(racing):
            return None
        position = int(np.argmax(racing))
        return Conflict(position, int(stamps[position]), wrote)
