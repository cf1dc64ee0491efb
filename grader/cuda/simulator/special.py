"""PTX's special registers, one value per lane."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .geometry import Geometry, coordinates
from .lanes import WARP

GRID_WORKSPACE = 0x2000_0000_0000  # where a cooperative launch keeps its grid barrier
_PER_BLOCK = ("%ctaid", "%smid", "%clusterid", "%cluster_cta")


_CLOCKS = {  # and which bits of the clock each holds
    "%clock": 0,
    "%clock_hi": 32,
    "%clock64": 0,
    "%globaltimer": 0,
    "%globaltimer_lo": 0,
    "%globaltimer_hi": 32,
}


class Clock:
    """A register that says, whenever it is indexed, how many steps have been taken. It tells
    before from after, not how long hardware would take."""

    def __init__(self, now: Callable[[], int], shift: int):
        self.now = now
        self.shift = shift

    def __getitem__(self, lanes) -> np.uint64:
        return np.uint64(self.now() >> self.shift)


class SpecialRegisters:
    """Arrays (lanes,) of uint32, made when first asked for; those that depend on the block are
    refilled in place when a wave begins."""

    def __init__(self, geometry: Geometry, cooperative: bool, sms: int, now: Callable[[], int]):
        self.geometry = geometry
        self.now = now
        self.sms = sms
        self.cooperative = cooperative
        self._arrays: dict[str, np.ndarray] = {}
        self._first_block = 0

    def read(self, name: str) -> np.ndarray | Clock | None:
        """The register called e.g. "%tid.x"; None if there is no such register."""
        if name in _CLOCKS:
            return Clock(self.now, _CLOCKS[name])
        if name not in self._arrays:
            values = self._values(name)
            if values is None:
                return None
            full = np.broadcast_to(np.asarray(values, np.uint32), self.geometry.lanes)
            self._arrays[name] = full.copy() if name.startswith(_PER_BLOCK) else full
        return self._arrays[name]

    def begin_wave(self, first_block: int) -> None:
        self._first_block = first_block
        for name, array in self._arrays.items():
            if name.startswith(_PER_BLOCK):
                array[:] = self._values(name)

    def _values(self, name: str):
        geometry = self.geometry
        base, _, axis = name.partition(".")
        which = "xyz".find(axis) if axis else 0
        thread = geometry.thread_of_lane
        lane = thread % WARP
        block = self._first_block + geometry.block_of_lane
        rank = block % geometry.cluster_blocks
        size = geometry.clusters
        found = {
            "%tid": lambda: coordinates(thread, geometry.block)[which],
            "%ntid": lambda: geometry.block[which],
            "%ctaid": lambda: geometry.block_coordinates(block)[which],
            "%nctaid": lambda: geometry.grid[which],
            "%laneid": lambda: lane,
            "WARP_SZ": lambda: WARP,  # what `warpSize` is where it must be a constant
            "%warpid": lambda: thread // WARP,
            "%nwarpid": lambda: geometry.stride // WARP,
            "%smid": lambda: block % self.sms,
            "%nsmid": lambda: self.sms,
            "%gridid": lambda: 1,
            "%lanemask_eq": lambda: 1 << lane,
            "%lanemask_lt": lambda: (1 << lane) - 1,
            "%lanemask_le": lambda: (2 << lane) - 1,
            "%lanemask_gt": lambda: 0xFFFFFFFF & ~((2 << lane) - 1),
            "%lanemask_ge": lambda: 0xFFFFFFFF & ~((1 << lane) - 1),
            "%clusterid": lambda: coordinates(block // geometry.cluster_blocks, size)[which],
            "%nclusterid": lambda: size[which],
            "%cluster_ctaid": lambda: coordinates(rank, geometry.cluster)[which],
            "%cluster_nctaid": lambda: geometry.cluster[which],
            "%cluster_ctarank": lambda: rank,
            "%cluster_nctarank": lambda: geometry.cluster_blocks,
            "%is_explicit_cluster": lambda: geometry.cluster_blocks > 1,
            "%envreg1": lambda: GRID_WORKSPACE >> 32 if self.cooperative else 0,
            "%envreg2": lambda: GRID_WORKSPACE & 0xFFFFFFFF if self.cooperative else 0,
        }.get(base)
        return found() if found else None
