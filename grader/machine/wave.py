"""All that an instruction sees: a wave's state, how its threads wait for each other, and calls."""

import numpy as np

from .barriers import Barriers, ClusterBarrier, Collectives
from .calls import Calls
from .events import Successors
from .lanes import Lanes
from .launch import PreparedLaunch
from .state import Schedule, WaveState


class Wave(WaveState):
    """The blocks of a launch that run at once."""

    def __init__(self, job: PreparedLaunch, schedule: Schedule):
        super().__init__(job, schedule)
        self.collectives = Collectives(self)
        self.barriers = Barriers(self, self.collectives)
        self.clusters = ClusterBarrier(self)
        self.calls = Calls(self)

    def begin(self, first_block: int, blocks: int) -> None:
        """The next `blocks` blocks of the grid take the lanes, beginning with `first_block`."""
        geometry = self.geometry
        self.first_block = first_block
        self.special.begin_wave(first_block)
        self.flat.begin_wave(geometry.launch_of(self.special.block))
        self.running = (geometry.thread_of_lane < geometry.threads) & (
            geometry.block_of_lane < blocks
        )
        self.live = np.where(np.arange(geometry.wave_blocks) < blocks, geometry.threads, 0)
        self.collectives.begin_wave()
        self.clusters.begin_wave()
        self.shared.reset()
        self.local.reset()
        self.copies.reset()
        for tell in self.events.begin_wave:
            tell(first_block)
        self.calls.begin_wave()

    def exit(self, lanes: Lanes) -> Successors:
        """These threads have left the kernel: they go on nowhere."""
        blocks = self.geometry.block_of_lane[lanes]
        self.live -= np.bincount(blocks, minlength=self.geometry.wave_blocks)
        self.running[lanes] = False
        for tell in self.events.exit:
            tell(lanes)
        self.collectives.leave(lanes)
        for successor in (*self.barriers.released_by_exit(), *self.clusters.released()):
            self.schedule.push(*successor)
        return ()
