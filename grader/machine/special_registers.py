"""PTX's special registers, one value per lane."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .geometry import Geometry, coordinates
from .lanes import WARP, Lanes, count

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
    before from after, not how long hardware would take. `size` bytes of it are read."""

    def __init__(self, now: Callable[[], int], shift: int, size: int = 8):
        self.now = now
        self.shift = shift
        self.size = size

    def of_size(self, size: int) -> Clock:
        return Clock(self.now, self.shift, size)

    def __getitem__(self, lanes: Lanes) -> np.ndarray:
        value = np.uint64(self.now() >> self.shift)
        return np.full(count(lanes), value).astype(f"u{self.size}")


@dataclass(frozen=True)
class _View:
    """What the registers are computed from: `thread` and `block` per lane of the wave; `which` of
    x, y and z is asked for."""

    geometry: Geometry
    thread: np.ndarray
    block: np.ndarray
    which: int
    sms: int
    cooperative: bool

    @property
    def lane(self) -> np.ndarray:
        return self.thread % WARP

    @property
    def rank(self) -> np.ndarray:
        """Of each lane's block within its cluster."""
        return self.block % self.geometry.cluster_blocks

    @property
    def cluster(self) -> np.ndarray:
        """The number of each lane's cluster."""
        return self.block // self.geometry.cluster_blocks


_ALL = 0xFFFFFFFF
_VALUES: dict[str, Callable[[_View], np.ndarray | int]] = {
    "%tid": lambda v: coordinates(v.thread, v.geometry.block)[v.which],
    "%ntid": lambda v: v.geometry.block[v.which],
    "%ctaid": lambda v: v.geometry.block_coordinates(v.block)[v.which],
    "%nctaid": lambda v: v.geometry.grid[v.which],
    "%laneid": lambda v: v.lane,
    "WARP_SZ": lambda v: WARP,  # what `warpSize` is where it must be a constant
    "%warpid": lambda v: v.thread // WARP,
    "%nwarpid": lambda v: v.geometry.stride // WARP,
    "%smid": lambda v: v.block % v.sms,
    "%nsmid": lambda v: v.sms,
    "%gridid": lambda v: 1,
    "%lanemask_eq": lambda v: 1 << v.lane,
    "%lanemask_lt": lambda v: (1 << v.lane) - 1,
    "%lanemask_le": lambda v: (2 << v.lane) - 1,
    "%lanemask_gt": lambda v: _ALL & ~((2 << v.lane) - 1),
    "%lanemask_ge": lambda v: _ALL & ~((1 << v.lane) - 1),
    "%clusterid": lambda v: coordinates(v.cluster, v.geometry.clusters)[v.which],
    "%nclusterid": lambda v: v.geometry.clusters[v.which],
    "%cluster_ctaid": lambda v: coordinates(v.rank, v.geometry.cluster)[v.which],
    "%cluster_nctaid": lambda v: v.geometry.cluster[v.which],
    "%cluster_ctarank": lambda v: v.rank,
    "%cluster_nctarank": lambda v: v.geometry.cluster_blocks,
    "%is_explicit_cluster": lambda v: v.geometry.cluster_blocks > 1,
    "%envreg1": lambda v: GRID_WORKSPACE >> 32 if v.cooperative else 0,
    "%envreg2": lambda v: GRID_WORKSPACE & _ALL if v.cooperative else 0,
}


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

    def _values(self, name: str) -> np.ndarray | int | None:
        base, _, axis = name.partition(".")
        if base not in _VALUES:
            return None
        geometry = self.geometry
        block = self._first_block + geometry.block_of_lane
        which = "xyz".find(axis) if axis else 0
        thread = geometry.thread_of_lane
        return _VALUES[base](_View(geometry, thread, block, which, self.sms, self.cooperative))
