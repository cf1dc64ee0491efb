"""Accesses to the shared memory of other blocks of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .ordering import epoch_of

if TYPE_CHECKING:
    from ..races import Races


class Visits:
    """Shared memory of another block of the cluster is there when that block has started, and gone
    when it has left the kernel: a cluster barrier must lie before the first visit, and after the
    last. Per block visited: the epoch of the last visit, the visitor's lane and the instruction."""

    def __init__(self, races: Races):
        self.races, self.machine = races, races.machine
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
                self._too_late(block)
            elif not machine.clusters.opened[block // machine.geometry.cluster_blocks]:
                number = machine.first_block + block
                self.races.report.visit_before_start(at, int(lane[position]), number)

    def leave(self, blocks: np.ndarray) -> None:
        """All threads of these blocks have now left."""
        stride, synced = self.machine.geometry.stride, self.races.ordering.synced
        for block in set(blocks.tolist()) & set(self.last):
            met = int(synced["cluster"][block * stride : (block + 1) * stride].max())
            if self.last[block][0] > epoch_of(met):
                self._too_late(block)

    def _too_late(self, block: int) -> None:
        _, lane, at = self.last[block]
        self.races.report.visit(at, lane, self.machine.first_block + block)
