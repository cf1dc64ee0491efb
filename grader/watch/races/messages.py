"""Order across the blocks of a cluster by mbarriers.

Whoever arrives at an mbarrier, as a release, or sends what one will be told of (`st.async`, a bulk
copy), brings along what it knows; whoever sees that phase over knows it, too. Barriers of a warp,
of a block, or of some of its warps, let the others there know.

What a lane knows is kept by the warps of its cluster: stamps up to there, of that warp's lanes, are
ordered before whatever the lane does next. Within one block the end of a phase counts as a barrier
of the block (see `Ordering.phase_over`), and none of this is needed.
"""

from __future__ import annotations

import numpy as np

from ...machine.lanes import WARP, Geometry, Lanes
from ...machine.lanes import index as lane_index


class _Barrier:
    """What those who came to an mbarrier knew: in the present phase, and in the one before."""

    def __init__(self, warps: int):
        self.present = -1  # the parity of the phase
        self.brought = np.zeros((2, warps), np.int64)  # by parity

    def bring(self, phase: int, known: np.ndarray) -> None:
        if phase != self.present:
            self.present, self.brought[phase] = phase, 0
        np.maximum(self.brought[phase], known, out=self.brought[phase])


class Messages:
    """What the lanes of a wave have heard of the warps of their clusters."""

    def __init__(self, geometry: Geometry):
        self.geometry = geometry
        self.warps = geometry.stride * geometry.cluster_blocks // WARP
        self.begin_wave()

    def begin_wave(self) -> None:
        self.heard = np.zeros((self.geometry.lanes, self.warps), np.int64)
        self.barriers: dict[int, _Barrier] = {}  # by place
        self.letters: dict[int, np.ndarray] = {}  # by landing's number: what the senders knew
        self.parts: dict[tuple[int, int], np.ndarray] = {}  # by number of a barrier, and block
        self.any = False  # whether anybody has heard anything

    def warp_of(self, lane: np.ndarray) -> np.ndarray:
        """The warps of the cluster that lanes belong to."""
        return lane // WARP % self.warps

    def known(
        self,
        lanes: np.ndarray,
        now: int,
        synced: dict[str, np.ndarray],
        parts: np.ndarray | None,
    ) -> np.ndarray:
        """What these lanes of one block know together at the stamp `now`, by warp of the cluster;
        `synced` and `parts` are those of Ordering."""
        known = np.maximum(self.heard[lanes].max(axis=0), synced["cluster"][lanes].max())
        own_warps = self.geometry.stride // WARP
        first = int(lanes[0]) // self.geometry.stride % self.geometry.cluster_blocks * own_warps
        own = known[first : first + own_warps]
        np.maximum(own, synced["block"][lanes].max(), out=own)
        if parts is not None:
            np.maximum(own, parts[lanes].max(axis=0), out=own)
        known[self.warp_of(lanes)] = now
        return known

    def bring(self, barrier: int, phase: int, known: np.ndarray) -> None:
        """Those who know that come to the mbarrier at a place, in the phase of that parity."""
        if barrier not in self.barriers:
            self.barriers[barrier] = _Barrier(self.warps)
        self.barriers[barrier].bring(phase, known)

    def over(self, lanes: np.ndarray, barriers: np.ndarray, phases: np.ndarray) -> None:
        """Lanes have seen that these phases (one a lane) are over."""
        for barrier, phase in set(zip(barriers.tolist(), phases.tolist(), strict=True)):
            if barrier in self.barriers:
                who = lanes[(barriers == barrier) & (phases == phase)]
                self.tell(who, self.barriers[barrier].brought[phase])

    def tell(self, lanes: np.ndarray, known: np.ndarray) -> None:
        self.heard[lanes] = np.maximum(self.heard[lanes], known)
        self.any = True

    def meet(self, lanes: Lanes, size: int) -> None:
        """Lanes have met with all of their `size` neighbours: a warp, or a block."""
        if not self.any:
            return
        index = lane_index(lanes)
        starts = np.flatnonzero(np.diff(index // size, prepend=-1))
        together = np.maximum.reduceat(self.heard[index], starts, axis=0)
        self.heard[index] = together.repeat(np.diff(starts, append=len(index)), axis=0)

    def come_to_part(self, barrier: int, block: int, lanes: np.ndarray) -> None:
        """Lanes of a block have come to a barrier for some of its warps."""
        known = self.heard[lanes].max(axis=0)
        self.parts[barrier, block] = np.maximum(known, self.parts.get((barrier, block), 0))

    def meet_in_part(self, barrier: int, block: int, lanes: np.ndarray) -> None:
        """They pass it."""
        if (barrier, block) in self.parts:
            self.tell(lanes, self.parts[barrier, block])
