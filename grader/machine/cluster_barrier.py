"""Thread-block clusters: their barrier, and addresses in each other's shared memory."""

from __future__ import annotations

import numpy as np

from .events import Successors
from .lanes import Lanes, compact
from .lanes import index as lane_index
from .memory.spaces import OFFSET_MASK, RANK_SHIFT
from .state import WaveState


class ClusterBarrier:
    """`barrier.cluster.arrive` and `.wait`: per cluster of a wave, how many threads have arrived
    and how often the barrier has opened; per lane, which opening it waits for."""

    def __init__(self, wave: WaveState):
        self.wave = wave
        geometry = wave.geometry
        clusters = -(-geometry.wave_blocks // geometry.cluster_blocks)
        self.cluster_of_lane = geometry.block_of_lane // geometry.cluster_blocks
        self.arrived = np.zeros(clusters, np.int64)
        self.opened = np.zeros(clusters, np.int64)
        self.awaited = np.zeros(geometry.lanes, np.int64)
        self.parked: list[tuple[int, np.ndarray]] = []

    def begin_wave(self) -> None:
        self.opened[:] = 0

    def arrive(self, lanes: Lanes) -> Successors:
        """These threads have come; the groups that this lets go on from their wait."""
        cluster = self.cluster_of_lane[lanes]
        self.awaited[lanes] = self.opened[cluster] + 1
        self.arrived += np.bincount(cluster, minlength=len(self.arrived))
        return self.released()

    def wait(self, lanes: Lanes, at: int) -> Successors:
        """These threads wait for the opening they arrived for."""
        self.parked.append((at, lane_index(lanes)))
        return self.released()

    def released(self) -> Successors:
        """Open where everybody has arrived (or left the kernel); the groups that may go on."""
        live = np.bincount(
            np.arange(self.wave.geometry.wave_blocks) // self.wave.geometry.cluster_blocks,
            self.wave.live,
            len(self.arrived),
        )
        full = (self.arrived >= live) & (self.arrived > 0)
        self.opened[full] += 1
        self.arrived[full] = 0
        groups, self.parked = self.parked, []
        onward = []
        for at, index in groups:
            free = self.opened[self.cluster_of_lane[index]] >= self.awaited[index]
            if free.any():
                onward.append((at + 1, compact(index[free])))
                for tell in self.wave.events.cluster_barrier:
                    tell(at, index[free])
            if not free.all():
                self.parked.append((at, index[~free]))
        return tuple(onward)

    def waiting(self) -> tuple[int, int, str] | None:
        """A thread that waits for ever."""
        for at, index in self.parked:
            why = "waits at a cluster barrier at which not every thread of its cluster arrives."
            return at, int(index[0]), why
        return None


def map_to_rank(address: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """A shared-memory address (window left out) as seen in the block of `rank`."""
    return (address & OFFSET_MASK) | (rank + 1) << RANK_SHIFT
