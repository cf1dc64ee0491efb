"""PTX's special registers, one value per lane."""

from __future__ import annotations

import numpy as np

from ..limits import SMS
from .geometry import Geometry, coordinates
from .lanes import WARP

GRID_WORKSPACE = 0x2000_0000_0000  # where a cooperative launch keeps its grid barrier
_PER_BLOCK = ("%ctaid", "%smid", "%clusterid", "%cluster_cta")


class SpecialRegisters:
    """Arrays (lanes,) of uint32, made when first asked for; those that depend on the block are
    refilled in place when a wave begins."""

    def __init__(self, geometry: Geometry, cooperative: bool):
        self.geometry = geometry
        self.cooperative = cooperative
        self._arrays: dict[str, np.ndarray] = {}
        self._first_block = 0

    def read(self, name: str) -> np.ndarray | None:
        """The register called e.g. "%tid.x"; None if there is no such register."""
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
            "%smid": lambda: block % SMS,
            "%nsmid": lambda: SMS,
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
