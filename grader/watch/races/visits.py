"""Accesses to the shared memory of other blocks of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...machine.lanes import WARP
from .ordering import stamped

if TYPE_CHECKING:
    from .races import Races


class Visits:
    """Shared memory of another block of the cluster is there when that block has started, and gone
    when it has left the kernel: a cluster barrier must lie before the first visit; after the last,
    one, or a message that it has waited for. Per block visited and warp of its visitors: the epoch
    of the last visit, the visitor's lane and the instruction."""

    def __init__(self, races: Races):
        self.races, self.wave = races, races.wave
        self.last: dict[int, dict[int, tuple[int, int, int]]] = {}

    def begin_wave(self) -> None:
        self.last = {}

    def note(self, host: np.ndarray, lane: np.ndarray, epoch: int, at: int) -> None:
        """Lanes touch, in an epoch, the shared memory of the blocks `host` (one a lane)."""
        wave = self.wave
        for position in np.flatnonzero(host != wave.geometry.block_of_lane[lane]):
            block, visitor = int(host[position]), int(lane[position])
            self.last.setdefault(block, {})[visitor // WARP] = epoch, visitor, at
            if not wave.live[block]:
                self.races.report.visit(at, visitor, wave.first_block + block)
            elif not wave.clusters.opened[block // wave.geometry.cluster_blocks]:
                number = wave.first_block + block
                self.races.report.visit_before_start(at, int(lane[position]), number)

    def leave(self, blocks: np.ndarray) -> None:
        """All threads of these blocks have now left."""
        stride = self.wave.geometry.stride
        for block in set(blocks.tolist()) & set(self.last):
            hosts = np.arange(block * stride, (block + 1) * stride)
            for epoch, visitor, at in self.last[block].values():
                stamps = stamped(epoch, np.full(stride, visitor))
                unordered = self.races.ordering.unordered_in_cluster(stamps, hosts)
                if unordered is not None and unordered.all():
                    self.races.report.visit(at, visitor, self.wave.first_block + block)
