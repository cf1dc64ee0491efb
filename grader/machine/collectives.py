"""Warp-wide operations (`__shfl_*_sync`, `__syncwarp`, votes): every lane that the mask names
must come to the same instruction before any goes on."""

from __future__ import annotations

import numpy as np

from ..ptx.forms.form import Flow
from .lanes import WARP, Lanes, compact, warp_masks
from .lanes import index as lane_index
from .state import WaveState

FULL = 0xFFFFFFFF


class Collectives:
    """Lanes parked at warp-wide instructions, by instruction."""

    def __init__(self, wave: WaveState):
        self.wave = wave
        self.launched = self.alive = np.zeros(wave.geometry.warps, np.uint32)
        self.parked: dict[int, np.ndarray] = {}
        self.masks: dict[int, np.ndarray] = {}
        self.exits = {
            at
            for at, one in enumerate(wave.kernel.instructions)
            if one.form.flow in (Flow.RETURN, Flow.EXIT)
            and one.guard is None
            and wave.linked.owner[at] == wave.kernel.name
        }

    def begin_wave(self) -> None:
        """Per warp, which of its lanes hold a thread, and which one that has not yet left."""
        self.launched = self._present(np.flatnonzero(self.wave.running))
        self.alive = self.launched.copy()

    def leave(self, lanes: Lanes) -> None:
        """Threads have left: nobody waits for them, whatever the mask."""
        self.alive &= ~self._present(lane_index(lanes))

    def gather(self, lanes: Lanes, at: int, masks: np.ndarray) -> Lanes | None:
        """Lanes come to the instruction at `at`; `masks` holds every lane's member mask (lanes of
        the wave,). Returns those whose whole group is there, or None; the rest are parked. Lanes
        that a mask names are not waited for if they have left, or are just about to."""
        if at not in self.parked and whole_warps(lanes) and (masks[lanes] == FULL).all():
            return lanes
        index = lane_index(lanes)
        if at in self.parked:
            index = np.sort(np.concatenate([self.parked.pop(at), index]))
        for tell in self.wave.events.gather:
            tell(at, index, masks)
        present = self._present(index)
        wanted = masks[index] & self._staying()[index // WARP]
        complete = (wanted & ~present[index // WARP]) == 0
        if not complete.all():
            self.parked[at] = index[~complete]
            self.masks[at] = masks
        return compact(index[complete]) if complete.any() else None

    def waiting(self) -> tuple[int, int, str] | None:
        """Lanes that wait for ever: instruction, one of the lanes, and the sentence."""
        for at, index in self.parked.items():
            lane = int(index[0])
            mask = int(self.masks[at][lane])
            absent = mask & ~int(self._present(index)[lane // WARP])
            left = absent & int(self.launched[lane // WARP])  # meanwhile all of them may have left
            missing = absent & int(self.alive[lane // WARP]) or left
            come = "comes" if missing.bit_count() == 1 else "come"
            return (
                at,
                lane,
                (
                    f"takes part in a warp-wide operation whose mask 0x{mask:08x} also names "
                    f"{_lanes(missing)}, which never {come} here. Name only lanes that take part, "
                    "or move the operation out of the branch."
                ),
            )
        return None

    def why_absent(self, lane: int, mask: int) -> str:
        """Why a lane of the wave does not take part in an operation for the lanes in `mask`: a
        sentence, with what to do."""
        bit = 1 << lane % WARP
        if not mask & bit:
            return f"the mask 0x{mask:08x} does not name it."
        if not int(self.launched[lane // WARP]) & bit:
            return "the block has no thread there. Give a block whole warps, or mask those lanes."
        if not int(self._staying()[lane // WARP]) & bit:
            return (
                "it has left the kernel. Let no lane leave before the last such operation: guard "
                "what it loads and stores, not its way here."
            )
        return "it comes by another way, to another operation or none."

    def _staying(self) -> np.ndarray:
        """Per warp, which lanes have neither left nor are just about to."""
        return self.alive & ~self._present(self.wave.schedule.standing_at(self.exits))

    def _present(self, index: np.ndarray) -> np.ndarray:
        """Per warp of the wave, the mask of its lanes that are in `index`."""
        return warp_masks(index, self.wave.geometry.warps)


def whole_warps(lanes: Lanes) -> bool:
    return type(lanes) is slice and lanes.start % WARP == 0 and lanes.stop % WARP == 0


def _lanes(mask: int) -> str:
    named = [str(lane) for lane in range(WARP) if mask >> lane & 1]
    shown = ", ".join(named[:8]) + (", ..." if len(named) > 8 else "")
    return f"lane{'s' if len(named) > 1 else ''} {shown}"
