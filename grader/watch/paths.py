"""How a launch's work is shared among its threads: the way of the busiest one, and its warp's.

Counted in PTX instructions, a thread's those that it comes to, a warp's those that any of its lanes
does, so that both sides of a divergent branch count. Nsight Compute has no such counters.
"""

from collections.abc import Iterable

import numpy as np

from ..machine.events import Observer
from ..machine.lanes import WARP, Lanes, fill
from .findings import FindingReport

BETWEEN = "longest_between_barriers"
PATHS = (
    "longest_path",  # instructions of the busiest thread, launch after launch
    "busiest_warp",  # instructions of the busiest warp, launch after launch
    BETWEEN,  # the most instructions of a thread from one barrier to the next
)


class Paths(Observer):
    """What the threads of a launch, or of each of a batch, have executed: `counted`, by the names
    in `PATHS`, and by launch."""

    def __init__(self, report: FindingReport):
        self.geometry, self.dense = report.wave.geometry, report.wave.dense
        lanes = self.geometry.lanes
        self.of_thread = np.zeros(lanes, np.int64)
        self.of_warp = np.zeros(lanes // WARP, np.int64)
        self.at_barrier = np.zeros(lanes, np.int64)  # of_thread when a thread last was at one
        self.counted = {name: np.zeros(self.geometry.launches, np.int64) for name in PATHS}
        self._launch_of = np.zeros(lanes, np.int64)

    def begin_wave(self, first_block: int) -> None:
        self.end()
        fill((self.of_thread, self.of_warp, self.at_barrier), 0)
        self._launch_of = self.geometry.launch_of(first_block + self.geometry.block_of_lane)

    def run(self, first: int, last: int, lanes: Lanes) -> None:
        instructions = last + 1 - first
        part, chosen = self.dense.of(lanes)
        self.of_thread[part] += instructions * chosen
        if isinstance(lanes, slice):
            self.of_warp[lanes.start // WARP : -(-lanes.stop // WARP)] += instructions
        else:
            self.of_warp[lanes // WARP] += instructions  # once for each warp: NumPy does not add up

    def barrier(self, at: int, lanes: Lanes, part: int | None) -> None:
        self._most(BETWEEN, self.of_thread[lanes] - self.at_barrier[lanes], self._launch_of[lanes])
        self.at_barrier[lanes] = self.of_thread[lanes]

    def end(self) -> None:
        """The ways that the wave's threads have come, as far as they have."""
        self._most("longest_path", self.of_thread, self._launch_of)
        self._most("busiest_warp", self.of_warp, self._launch_of[::WARP])
        self._most(BETWEEN, self.of_thread - self.at_barrier, self._launch_of)

    def _most(self, name: str, counts: np.ndarray, launches: np.ndarray) -> None:
        starts = np.flatnonzero(np.diff(launches, prepend=-1))
        known, of = self.counted[name], launches[starts]
        known[of] = np.maximum(known[of], np.maximum.reduceat(counts, starts))


def in_all(observers: Iterable[Observer]) -> dict[str, int]:
    """The paths of launches that come one after the other, by the names in `PATHS`."""
    launches = [one.counted for one in observers if isinstance(one, Paths)]
    added = {name: sum(int(counted[name].sum()) for counted in launches) for name in PATHS}
    return added | {BETWEEN: max((int(counted[BETWEEN].max()) for counted in launches), default=0)}
