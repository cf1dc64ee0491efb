"""Data races: two accesses to one place, at least one a write, that nothing orders.

The method is that of happens-before detectors such as FastTrack (Flanagan and Freund, 2009), cut
down to what a GPU orders by (see `ordering`). Each place remembers its last write and two reads
by different threads since then; an access races with a remembered one if nothing orders the
two. Threads of a warp are not "always in sync": a race shows even if the lanes ran in step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from .ordering import COMPARED, STRONG, lane_of, stamped

# (stamps, lanes) -> which stamped accesses nothing orders before the lanes' next; None: none
Unordered = Callable[[np.ndarray, np.ndarray], np.ndarray | None]


@dataclass(frozen=True)
class Clash:
    """A lane's access (its position) and the stamp of an earlier one that it races with."""

    position: int
    other: int
    other_wrote: bool
    benign: bool = False  # both wrote the same value in the same instruction


class RaceDetector:
    """Watches `cells` places. `unordered` says which accesses nothing orders; with `reads` false
    nobody reads the places plainly."""

    def __init__(self, cells: int, unordered: Unordered, reads: bool = True):
        self.unordered = unordered
        self.reads = reads
        self.compared = False  # whether a compare-and-swap was ever seen
        self.written = np.zeros(cells, np.int64)
        self.first_read = np.zeros(cells, np.int64)
        self.last_read = np.zeros(cells, np.int64)  # never by the thread of first_read

    def forget(self) -> None:
        """The places belong to others now."""
        for stamps in (self.written, self.first_read, self.last_read):
            stamps[:] = 0

    def read(self, cells, lane, step, strong: bool = False) -> Clash | None:
        """`strong`: a volatile load, which strong writes are ordered with."""
        written = self.written[cells]
        if strong:
            written = _plain(written)
        elif self.compared:  # whoever compares before swapping does not mind that others read
            written = np.where(written & COMPARED, 0, written)
        clash = self._clash(written, lane, wrote=True)
        stamps = stamped(step, lane, STRONG if strong else 0)
        first = self.first_read[cells]
        late = self.unordered(first, lane)
        stale = np.ones(len(lane), bool) if late is None else ~late
        stale &= lane_of(first) != lane
        if np.count_nonzero(stale):
            self.first_read[cells[stale]] = stamps[stale]
            first = self.first_read[cells]
        another = lane_of(first) != lane
        if np.count_nonzero(another):
            self.last_read[cells[another]] = stamps[another]
        return clash

    def write(self, cells, lane, step, unchanged, same_site) -> Clash | None:
        """`unchanged`: per lane, whether the place held the value already. `same_site(stamp)`:
        whether a stamped access was made by the instruction that writes now."""
        clash = self._clash(self.written[cells], lane, wrote=True)
        if clash and unchanged[clash.position] and same_site(clash.other):
            clash = replace(clash, benign=True)
        clash = self._worse(clash, cells, lane)
        self.written[cells] = stamped(step, lane)
        return clash

    def strong(self, cells, lane, step, compares: bool) -> Clash | None:
        """Atomics and the like are ordered among themselves, not with plain accesses. But a loop
        of compare-and-swap may well start from a plain read: an old value costs it one turn."""
        clash = self._clash(_plain(self.written[cells]), lane, wrote=True)
        if not compares:
            clash = self._worse(clash, cells, lane, plain=_plain)
        self.compared |= compares
        self.written[cells] = stamped(step, lane, STRONG | COMPARED if compares else STRONG)
        return clash

    def strong_read(self, cells, lane, step) -> Clash | None:
        """A volatile or acquiring load: it races with plain writes only."""
        return self._clash(_plain(self.written[cells]), lane, wrote=True)

    def collisions(self, cells, lane, step) -> np.ndarray:
        """After a write: the positions whose place another lane wrote at the same moment."""
        return (self.written[cells] != stamped(step, lane)).nonzero()[0]

    def _worse(self, clash: Clash | None, cells, lane, plain=lambda stamps: stamps):
        """The clash given, unless it is none or benign and a read gives a real one."""
        if not self.reads or (clash is not None and not clash.benign):
            return clash
        read = self._clash(plain(self.first_read[cells]), lane, wrote=False)
        return read or self._clash(plain(self.last_read[cells]), lane, wrote=False) or clash

    def _clash(self, stamps, lane, wrote: bool) -> Clash | None:
        racing = self.unordered(stamps, lane)
        if racing is None or not np.count_nonzero(racing):
            return None
        position = int(np.argmax(racing))
        return Clash(position, int(stamps[position]), wrote)


def _plain(stamps: np.ndarray) -> np.ndarray:
    """The stamps with those of strong accesses left out."""
    return np.where(stamps & STRONG, 0, stamps)
