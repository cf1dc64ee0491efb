"""Barriers that not every thread comes to, and shuffles from lanes that take no part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import BarrierDivergence, ShuffleDivergence
from ..engine.events import Groups, Observer
from ..engine.lanes import WARP, Lanes
from ..engine.lanes import index as lane_index
from ..engine.operands import read

if TYPE_CHECKING:
    from .reporting.reporter import Reporter


class Divergence(Observer):
    """A barrier for the whole block must be met by every thread, and at one place; who shuffles
    must be named by the mask, and so must who is read from."""

    def __init__(self, report: Reporter):
        self.report, self.machine = report, report.machine
        self._takes_part = np.zeros(self.machine.geometry.lanes, bool)

    def open(self, barrier: int, groups: Groups) -> None:
        if self.machine.barriers.asked[barrier] is not None:
            return
        machine, geometry = self.machine, self.machine.geometry
        for at, index in groups:
            short = machine.live[geometry.block_of_lane[index]] < geometry.threads
            if short.any():
                lane = int(index[np.argmax(short)])
                missing = machine.barriers.missing(barrier, lane)
                error = self.report.error(BarrierDivergence, at, lane, missing)
                self.report.stop(error, at, "a barrier that some threads do not reach")
        by_block: dict[int, int] = {}
        for at, index in groups:
            for block in np.unique(geometry.block_of_lane[index]):
                first = by_block.setdefault(int(block), at)
                if first != at:
                    two = self._two_places(first, at)
                    error = self.report.error(BarrierDivergence, at, int(index[0]), two)
                    self.report.stop(error, at, "a barrier that others reach at another place")

    def gather(self, at: int, lanes: np.ndarray, masks: np.ndarray) -> None:
        own = np.left_shift(1, lanes % WARP).astype(np.uint32)
        unnamed = (masks[lanes] & own) == 0
        if unnamed.any():
            lane = int(lanes[np.argmax(unnamed)])
            error = self.report.error(
                ShuffleDivergence,
                at,
                lane,
                f"executes a warp-wide operation whose mask 0x{int(masks[lane]):08x} does not "
                f"name its own lane {lane % WARP}. A mask names all lanes that come to the "
                "operation.",
            )
            self.report.stop(error, at, "a warp-wide operation whose mask leaves a lane out")

    def shuffle(self, at: int, lanes: Lanes, source: np.ndarray) -> None:
        """Reading a lane that does not take part gives an undefined value."""
        lane, takes_part = lane_index(lanes), self._takes_part
        mask = self.machine.kernel.instructions[at].operands[-1]
        masks = read(mask, "b32", self.machine)[lane]
        takes_part[lane] = True
        named = masks >> (source % WARP).astype(np.uint32) & 1
        absent = ~takes_part[source] | (named == 0)
        takes_part[lane] = False
        if absent.any():
            position = int(np.argmax(absent))
            me, other = int(lane[position]), int(source[position])
            why = self.machine.collectives.why_absent(other, int(masks[position]))
            error = self.report.error(
                ShuffleDivergence,
                at,
                me,
                f"shuffles from lane {other % WARP} of its warp, which does not take part: {why} "
                "The value that it gets is undefined.",
            )
            alive = int(self.machine.collectives.alive[other // WARP]) >> other % WARP & 1
            where = "is elsewhere" if alive else "has left"
            self.report.stop(error, at, f"a shuffle from a lane that {where}")

    def _two_places(self, first: int, second: int) -> str:
        code = self.machine.kernel.instructions
        where = f"the one on line {code[first].line}"
        if code[first].line == code[second].line:
            where = "the same line in another round of a loop, or another call"
        return (
            f"waits at this barrier while other threads of its block wait at {where}. Every thread "
            "must come to the same `__syncthreads()`, as often: move it out of the branch or loop."
        )
