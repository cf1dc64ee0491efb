"""Barriers that not every thread comes to, and shuffles from lanes that take no part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..cuda.errors import BarrierDivergence, ShuffleDivergence
from ..machine.barriers import FULL, whole_warps
from ..machine.events import Groups, Observer
from ..machine.lanes import WARP, Lanes, warp_masks
from ..machine.lanes import index as lane_index

if TYPE_CHECKING:
    from ..say.reporting.reporter import Reporter


class Divergence(Observer):
    """A barrier for the whole block must be met by every thread, and at one place; who shuffles
    must be named by the mask, and so must who is read from."""

    def __init__(self, report: Reporter):
        self.report, self.wave = report, report.wave
        self._takes_part = np.zeros(self.wave.geometry.lanes, bool)

    def open(self, barrier: int, groups: Groups) -> None:
        if self.wave.barriers.asked[barrier] is not None:
            return
        wave, geometry = self.wave, self.wave.geometry
        for at, index in groups:
            short = wave.live[geometry.block_of_lane[index]] < geometry.threads
            if short.any():
                lane = int(index[np.argmax(short)])
                missing = wave.barriers.missing(barrier, lane)
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

    def collective(self, at: int, lanes: Lanes, masks: np.ndarray) -> None:
        """Lanes that name each other must pass the same mask; else the result is undefined."""
        if masks.strides == (0,):  # one mask for all lanes
            return
        index, warps = lane_index(lanes), self.wave.geometry.warps
        present = warp_masks(index, warps)
        for mask in np.unique(masks[index]):
            agreeing = index[masks[index] == mask]
            others = np.where(own := warp_masks(agreeing, warps), mask & present & ~own, 0)
            if not others.any():
                continue
            warp = int(np.flatnonzero(others)[0])
            lane = int(agreeing[agreeing // WARP == warp][0])
            other = (int(others[warp]) & -int(others[warp])).bit_length() - 1
            error = self.report.error(
                ShuffleDivergence,
                at,
                lane,
                f"takes part in a warp-wide operation whose mask 0x{int(mask):08x} also names lane "
                f"{other}. But lane {other} passes another mask, "
                f"0x{int(masks[warp * WARP + other]):08x}. All lanes that a mask names must pass "
                "the same mask.",
            )
            self.report.stop(error, at, "a warp-wide operation of lanes with different masks")

    def shuffle(self, at: int, lanes: Lanes, source: np.ndarray) -> None:
        """Reading a lane that does not take part gives an undefined value."""
        mask = self.wave.read(self.wave.kernel.instructions[at].operands[-1], "b32")
        if whole_warps(lanes) and (mask[lanes] == FULL).all():
            return
        lane, takes_part = lane_index(lanes), self._takes_part
        masks = mask[lane]
        takes_part[lane] = True
        named = masks >> (source % WARP).astype(np.uint32) & 1
        absent = ~takes_part[source] | (named == 0)
        takes_part[lane] = False
        if absent.any():
            position = int(np.argmax(absent))
            me, other = int(lane[position]), int(source[position])
            why = self.wave.collectives.why_absent(other, int(masks[position]))
            error = self.report.error(
                ShuffleDivergence,
                at,
                me,
                f"shuffles from lane {other % WARP} of its warp, which does not take part: {why} "
                "The value that it gets is undefined.",
            )
            alive = int(self.wave.collectives.alive[other // WARP]) >> other % WARP & 1
            where = "is elsewhere" if alive else "has left"
            self.report.stop(error, at, f"a shuffle from a lane that {where}")

    def _two_places(self, first: int, second: int) -> str:
        code = self.wave.kernel.instructions
        where = f"the one on line {code[first].line}"
        if code[first].line == code[second].line:
            where = "the same line in another round of a loop, or another call"
        return (
            f"waits at this barrier while other threads of its block wait at {where}. Every thread "
            "must come to the same `__syncthreads()`, as often: move it out of the branch or loop."
        )
