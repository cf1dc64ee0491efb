"""Data races: two accesses to one place, at least one a write, that nothing orders.

The method is that of happens-before detectors such as FastTrack (Flanagan and Freund, 2009), cut
down to what orders threads of a block: a barrier orders all of them, `__syncwarp` those of a
warp. Each cell of memory remembers its last write and two reads by different threads since
then, as stamps; an access races with a remembered one that is neither its own thread's nor
older than the last synchronisation of the two. Threads of a warp are not "always in sync": a
race shows even if the lanes happened to run in step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .geometry import Geometry
from .lanes import WARP

# A stamp is step << 32 | atomic flag | lane + 1; 0 means never.
_STEP = 32
_ATOMIC = 1 << 30
_LANE = _ATOMIC - 1
_ALL = (1 << _STEP) - 1


@dataclass(frozen=True)
class Hazard:
    """Something wrong, or (`warning`) doubtful, in a run. `status` is the verdict's word for it.
    Lines count from 1 in the learner's source; indices are (x, y, z); None where unknown."""

    status: str
    message: str
    kernel: str
    line: int | None
    other_line: int | None = None
    block: tuple[int, int, int] | None = None
    thread: tuple[int, int, int] | None = None
    other_thread: tuple[int, int, int] | None = None
    warning: bool = False


@dataclass(frozen=True)
class Clash:
    """A lane's access and the earlier one it races with."""

    position: int  # in the access
    other_step: int
    other_lane: int
    other_wrote: bool
    benign: bool = False  # both wrote the same value in the same instruction


class RaceDetector:
    """Watches `cells` places of the shared memory of a wave's blocks."""

    def __init__(self, cells: int, geometry: Geometry):
        lanes = geometry.lanes
        self.block = geometry.block_of_lane if geometry.cluster_blocks > 1 else None
        self.written = np.zeros(cells, np.int64)
        self.first_read = np.zeros(cells, np.int64)
        self.last_read = np.zeros(cells, np.int64)  # never by the thread of first_read
        # Per lane and scope: stamps up to here are ordered before what the lane does next.
        self.barrier = np.zeros(lanes, np.int64)
        self.synced = {
            "warp": np.zeros(lanes, np.int64),
            "block": self.barrier,
            "cluster": np.zeros(lanes, np.int64),
        }

    def forget(self) -> None:
        """A new wave begins."""
        for stamps in (self.written, self.first_read, self.last_read, *self.synced.values()):
            stamps[:] = 0

    def synchronize(self, lanes, step: int, scope: str) -> None:
        """These lanes met, at `step`, with all others of their "warp", "block" or "cluster"."""
        self.synced[scope][lanes] = step << _STEP

    def read(self, cells: np.ndarray, lane: np.ndarray, step: int) -> Clash | None:
        clash = self._clash(self.written[cells], lane, wrote=True)
        stamp = (step << _STEP) | (lane + 1)
        first = self.first_read[cells]
        stale = self._ordered(first, lane)
        if stale.any():
            self.first_read[cells[stale]] = stamp[stale]
            first = self.first_read[cells]
        another = (first & _LANE) != lane + 1
        if another.any():
            self.last_read[cells[another]] = stamp[another]
        return clash

    def write(self, cells, lane, step, unchanged, step_is_same) -> Clash | None:
        """`unchanged`: per lane, whether the cell held the value already. `step_is_same(step)`:
        whether that step ran the same instruction as this one."""
        clash = self._clash(self.written[cells], lane, wrote=True)
        if clash and unchanged[clash.position] and step_is_same(clash.other_step):
            clash = Clash(*_fields(clash), benign=True)
        clash = self._worse(clash, cells, lane)
        stamp = (step << _STEP) | (lane + 1)
        self.written[cells] = stamp
        return clash

    def atomic(self, cells, lane, step) -> Clash | None:
        """Atomics are ordered among themselves, not with plain accesses."""
        stamps = self.written[cells]
        plain = np.where(stamps & _ATOMIC, 0, stamps)
        clash = self._worse(self._clash(plain, lane, wrote=True), cells, lane)
        self.written[cells] = (step << _STEP) | _ATOMIC | (lane + 1)
        return clash

    def collision(self, cells, lane, step) -> np.ndarray:
        """After a write: the lanes (positions) whose cell another lane wrote in this step."""
        return np.flatnonzero(self.written[cells] != ((step << _STEP) | (lane + 1)))

    def winner(self, cell: int) -> int:
        """The lane that wrote `cell` last."""
        return int(self.written[cell] & _LANE) - 1

    def _worse(self, clash: Clash | None, cells, lane) -> Clash | None:
        """The clash given, unless it is none or benign and a read gives a real one."""
        if clash is not None and not clash.benign:
            return clash
        read = self._clash(self.first_read[cells], lane, wrote=False)
        return read or self._clash(self.last_read[cells], lane, wrote=False) or clash

    def _ordered(self, stamps, lane) -> np.ndarray:
        """Which stamps lie before the last synchronisation with the lane looking at them."""
        ordered = stamps <= self.barrier[lane]
        if self.block is not None:
            other = (stamps & _LANE) - 1
            ordered &= (self.block[other] == self.block[lane]) | (stamps == 0)
            ordered |= stamps <= self.synced["cluster"][lane]
        if not ordered.all():
            other = (stamps & _LANE) - 1
            same_warp = other // WARP == lane // WARP
            ordered |= same_warp & (stamps <= self.synced["warp"][lane])
        return ordered

    def _clash(self, stamps, lane, wrote: bool) -> Clash | None:
        if self.block is None and (stamps <= self.barrier[lane]).all():
            return None
        racing = ~self._ordered(stamps, lane) & ((stamps & _LANE) - 1 != lane)
        if not racing.any():
            return None
        position = int(np.argmax(racing))
        stamp = int(stamps[position])
        return Clash(position, stamp >> _STEP, (stamp & _LANE) - 1, wrote)


def _fields(clash: Clash) -> tuple:
    return clash.position, clash.other_step, clash.other_lane, clash.other_wrote
