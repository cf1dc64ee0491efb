"""PTX's special registers, one value per lane."""

from __future__ import annotations

import numpy as np

from .geometry import Geometry, coordinates
from .lanes import WARP


class SpecialRegisters:
    """Arrays (lanes,) of uint32, made when first asked for; those that depend on the block are
    refilled in place when a wave begins."""

    def __init__(self, geometry: Geometry):
        self.geometry = geometry
        self._arrays: dict[str, np.ndarray] = {}
        self._first_block = 0

    def read(self, name: str) -> np.ndarray | None:
        """The register called e.g. "%tid.x"; None if there is no such register."""
        if name not in self._arrays:
            values = self._values(name)
            if values is None:
                return None
            full = np.broadcast_to(np.asarray(values, np.uint32), self.geometry.lanes)
            self._arrays[name] = full.copy() if name.startswith("%ctaid") else full
        return self._arrays[name]

    def begin_wave(self, first_block: int) -> None:
        self._first_block = first_block
        for name, array in self._arrays.items():
            if name.startswith("%ctaid"):
                array[:] = self._values(name)

    def _values(self, name: str):
        geometry = self.geometry
        base, _, axis = name.partition(".")
        which = "xyz".find(axis) if axis else 0
        thread = geometry.thread_of_lane
        lane = thread % WARP
        if base == "%ctaid":
            return coordinates(self._first_block + geometry.block_of_lane, geometry.grid)[which]
        return {
            "%tid": lambda: coordinates(thread, geometry.block)[which],
            "%ntid": lambda: geometry.block[which],
            "%nctaid": lambda: geometry.grid[which],
            "%laneid": lambda: lane,
            "%warpid": lambda: thread // WARP,
            "%nwarpid": lambda: geometry.stride // WARP,
            "%lanemask_eq": lambda: 1 << lane,
            "%lanemask_lt": lambda: (1 << lane) - 1,
            "%lanemask_le": lambda: (2 << lane) - 1,
            "%lanemask_gt": lambda: 0xFFFFFFFF & ~((2 << lane) - 1),
            "%lanemask_ge": lambda: 0xFFFFFFFF & ~((1 << lane) - 1),
        }.get(base, lambda: None)()
