"""How a launch's work is shared among its threads: the way of the busiest one, and its warp's.

Counted in PTX instructions, a thread's those that it takes part in, a warp's those that any of its
lanes does, so that both sides of a divergent branch count. Nsight Compute has no such counters.
"""

from __future__ import annotations

import numpy as np

from ..lanes import WARP, Lanes

BETWEEN = "longest_between_barriers"
PATHS = {
    "longest_path": "instructions of the busiest thread, launch after launch",
    "busiest_warp": "instructions of the busiest warp, launch after launch",
    BETWEEN: "the most instructions of a thread from one barrier to the next",
}


class Paths:
    """What the threads of a launch have executed; `counted` when it has ended."""

    def __init__(self, lanes: int):
        self.of_thread = np.zeros(lanes, np.int64)
        self.of_warp = np.zeros(lanes // WARP, np.int64)
        self.at_barrier = np.zeros(lanes, np.int64)  # of_thread when a thread last was at one
        self.counted = dict.fromkeys(PATHS, 0)

    def execute(self, lanes: Lanes, instructions: int) -> None:
        """These lanes execute so many instructions together."""
        self.of_thread[lanes] += instructions
        if type(lanes) is slice:
            self.of_warp[lanes.start // WARP : -(-lanes.stop // WARP)] += instructions
        else:
            self.of_warp[lanes // WARP] += instructions  # once for each warp: NumPy does not add up

    def barrier(self, lanes: Lanes) -> None:
        """These lanes have come to a barrier."""
        self._most(BETWEEN, self.of_thread[lanes] - self.at_barrier[lanes])
        self.at_barrier[lanes] = self.of_thread[lanes]

    def end_wave(self) -> None:
        self._most("longest_path", self.of_thread)
        self._most("busiest_warp", self.of_warp)
        self._most(BETWEEN, self.of_thread - self.at_barrier)
        for counts in (self.of_thread, self.of_warp, self.at_barrier):
            counts[:] = 0

    def _most(self, name: str, counts: np.ndarray) -> None:
        self.counted[name] = max(self.counted[name], int(counts.max(initial=0)))
