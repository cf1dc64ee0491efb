"""Barriers that not every thread comes to, and shuffles from lanes that take no part."""

import numpy as np

from ..machine.events import Observer
from ..machine.lanes import WARP, Groups, Lanes, first_of, lane_index, warp_masks
from ..machine.wave import FULL, whole_warps
from .findings import (
    AbsentSource,
    DifferentMasks,
    FindingReport,
    MissedBarrier,
    TwoBarriers,
    UnnamedLane,
)


class Divergence(Observer):
    """A barrier for the whole block must be met by every thread, and at one place; who shuffles
    must be named by the mask, and so must who is read from."""

    def __init__(self, report: FindingReport):
        self.report, self.wave = report, report.wave
        self._takes_part = np.zeros(self.wave.geometry.lanes, bool)

    def opening(self, barrier: int, groups: Groups) -> None:
        if self.wave.barriers.asked[barrier] is not None:
            return
        wave, geometry = self.wave, self.wave.geometry
        for at, index in groups:
            short = wave.live[geometry.block_of_lane[index]] < geometry.threads
            if (lane := first_of(index, short)) is not None:
                missing = wave.barriers.missing(barrier, lane)
                self.report.stop(MissedBarrier(self.report.here.location(at, lane), missing))
        by_block: dict[int, int] = {}
        for at, index in groups if len(groups) > 1 else ():
            for block in np.unique(geometry.block_of_lane[index]):
                first = by_block.setdefault(int(block), at)
                if first != at:
                    line = wave.kernel.instructions[first].line
                    self.report.stop(
                        TwoBarriers(self.report.here.location(at, int(index[0])), line)
                    )

    def gather(self, at: int, lanes: np.ndarray, masks: np.ndarray) -> None:
        unnamed = (masks[lanes] & np.left_shift(1, lanes & WARP - 1).astype(np.uint32)) == 0
        if (lane := first_of(lanes, unnamed)) is not None:
            self.report.stop(UnnamedLane(self.report.here.location(at, lane), int(masks[lane])))

    def collective(self, at: int, lanes: Lanes, masks: np.ndarray) -> None:
        """Lanes that name each other must pass the same mask; else the result is undefined."""
        given = masks[lanes]
        if masks.strides == (0,) or (given == given[0]).all():  # one mask for all lanes
            return
        index, warps = lane_index(lanes), self.wave.geometry.warps
        present = warp_masks(index, warps)
        for mask in np.unique(masks[index]):
            agreeing = index[masks[index] == mask]
            others = np.where(own := warp_masks(agreeing, warps), mask & present & ~own, 0)
            if others.any():
                warp = int(np.flatnonzero(others)[0])
                lane = int(agreeing[agreeing // WARP == warp][0])
                other = (int(others[warp]) & -int(others[warp])).bit_length() - 1
                numbers = int(mask), other, int(masks[warp * WARP + other])
                self.report.stop(DifferentMasks(self.report.here.location(at, lane), *numbers))

    def shuffle(self, at: int, lanes: Lanes, source: np.ndarray) -> None:
        """Reading a lane that does not take part gives an undefined value."""
        mask = self.wave.read(self.wave.kernel.instructions[at].operands[-1], "b32")
        if whole_warps(lanes) and (mask[lanes] == FULL).all():
            return
        lane, takes_part = lane_index(lanes), self._takes_part
        masks = mask[lane]
        takes_part[lane] = True
        absent = ~takes_part[source] | ((masks >> (source & WARP - 1).astype(np.uint32) & 1) == 0)
        takes_part[lane] = False
        if absent.any():
            position = int(np.argmax(absent))
            me, other = int(lane[position]), int(source[position])
            why = self.wave.collectives.why_absent(other, int(masks[position]))
            alive = int(self.wave.collectives.alive[other // WARP]) >> other % WARP & 1
            self.report.stop(
                AbsentSource(self.report.here.location(at, me), other % WARP, why, left=not alive)
            )
