"""Thread-block clusters: their barrier, and addresses in each other's shared memory.

A shared-memory address in a cluster has the rank of its block, plus one, above bit 24; zero
means the block's own.
"""

from __future__ import annotations

import numpy as np

from ...observers.happens_before.ordering import epoch_of
from ..lanes import Lanes, compact
from ..lanes import index as lane_index

RANK_SHIFT = 24
OFFSET_MASK = (1 << RANK_SHIFT) - 1


class ClusterBarrier:
    """`barrier.cluster.arrive` and `.wait`: per cluster of a wave, how many threads have arrived
    and how often the barrier has opened; per lane, which opening it waits for."""

    def __init__(self, machine):
        self.machine = machine
        geometry = machine.geometry
        clusters = -(-geometry.wave_blocks // geometry.cluster_blocks)
        self.cluster_of_lane = geometry.block_of_lane // geometry.cluster_blocks
        self.arrived = np.zeros(clusters, np.int64)
        self.opened = np.zeros(clusters, np.int64)
        self.awaited = np.zeros(geometry.lanes, np.int64)
        self.parked: list[tuple[int, np.ndarray]] = []

    def begin_wave(self) -> None:
        self.opened[:] = 0

    def arrive(self, lanes: Lanes):
        """These threads have come; the groups that this lets go on from their wait."""
        cluster = self.cluster_of_lane[lanes]
        self.awaited[lanes] = self.opened[cluster] + 1
        self.arrived += np.bincount(cluster, minlength=len(self.arrived))
        return self.released()

    def wait(self, lanes: Lanes, at: int):
        """These threads wait for the opening they arrived for."""
        self.parked.append((at, lane_index(lanes)))
        return self.released()

    def released(self):
        """Open where everybody has arrived (or left the kernel); the groups that may go on."""
        live = np.bincount(
            np.arange(self.machine.geometry.wave_blocks) // self.machine.geometry.cluster_blocks,
            self.machine.live,
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
                self._order(index[free], at)
            if not free.all():
                self.parked.append((at, index[~free]))
        return tuple(onward)

    def waiting(self) -> tuple[int, int, str] | None:
        """A thread that waits for ever."""
        for at, index in self.parked:
            why = "waits at a cluster barrier at which not every thread of its cluster arrives."
            return at, int(index[0]), why
        return None

    def _order(self, index: np.ndarray, at: int) -> None:
        machine = self.machine
        if machine.races:
            machine.races.synchronize(index, machine.new_epoch(at), "cluster")


class Visits:
    """Accesses to the shared memory of other blocks of a cluster. It is there when its block has
    started, and gone when it has left the kernel: a cluster barrier must lie before the first
    visit, and after the last. Per block visited: the epoch of the last visit, the visitor's lane
    and the instruction."""

    def __init__(self, machine):
        self.machine = machine
        self.last: dict[int, tuple[int, int, int]] = {}

    def begin_wave(self) -> None:
        self.last = {}

    def note(self, host: np.ndarray, lane: np.ndarray, epoch: int, at: int) -> None:
        """Lanes touch, in an epoch, the shared memory of the blocks `host` (one a lane)."""
        machine = self.machine
        for position in np.flatnonzero(host != machine.geometry.block_of_lane[lane]):
            block = int(host[position])
            self.last[block] = epoch, int(lane[position]), at
            if not machine.live[block]:
                self._report(block)
            elif not machine.clusters.opened[block // machine.geometry.cluster_blocks]:
                machine.report.visit_before_start(at, int(lane[position]), self._number(block))

    def leave(self, blocks: np.ndarray) -> None:
        """All threads of these blocks have now left."""
        stride, synced = self.machine.geometry.stride, self.machine.races.ordering.synced
        for block in set(blocks.tolist()) & set(self.last):
            met = int(synced["cluster"][block * stride : (block + 1) * stride].max())
            if self.last[block][0] > epoch_of(met):
                self._report(block)

    def _report(self, block: int) -> None:
        _, lane, at = self.last[block]
        self.machine.report.visit(at, lane, self._number(block))

    def _number(self, block: int) -> int:
        return self.machine.first_block + block


def map_to_rank(address: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """A shared-memory address (window left out) as seen in the block of `rank`."""
    return (address & OFFSET_MASK) | (rank + 1) << RANK_SHIFT
