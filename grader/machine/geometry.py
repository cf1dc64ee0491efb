"""Where each lane of a wave sits: grid, block, warp, lane, thread."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .lanes import WARP

Index = tuple[int, int, int]


@dataclass(frozen=True)
class Geometry:
    """A launch cut into waves of `wave_blocks` blocks, whole clusters of them. In a wave the
    lanes of one block are contiguous, padded to whole warps; the padding never runs. Blocks are
    numbered cluster by cluster, x fastest; without clusters that is the order of blockIdx."""

    grid: Index
    block: Index
    wave_blocks: int
    cluster: Index = (1, 1, 1)

    @cached_property
    def threads(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]

    @cached_property
    def stride(self) -> int:
        """Lanes of a block, padding included."""
        return -(-self.threads // WARP) * WARP

    @cached_property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    @cached_property
    def lanes(self) -> int:
        """Lanes of a wave."""
        return self.wave_blocks * self.stride

    @cached_property
    def warps(self) -> int:
        """Warps of a wave."""
        return self.lanes // WARP

    @cached_property
    def thread_of_lane(self) -> np.ndarray:
        """Linear thread index within its block, for each lane of a wave."""
        return np.tile(np.arange(self.stride), self.wave_blocks)

    @cached_property
    def block_of_lane(self) -> np.ndarray:
        """Block within the wave, for each lane."""
        return np.repeat(np.arange(self.wave_blocks), self.stride)

    def thread(self, lane: int) -> Index:
        """threadIdx of a lane."""
        return coordinates(int(lane) % self.stride, self.block)

    @cached_property
    def cluster_blocks(self) -> int:
        """Blocks of a cluster."""
        return self.cluster[0] * self.cluster[1] * self.cluster[2]

    @cached_property
    def clusters(self) -> Index:
        """Clusters of the grid, by axis."""
        x, y, z = (g // c for g, c in zip(self.grid, self.cluster, strict=True))
        return x, y, z

    def block_coordinates(self, number: Any) -> tuple[Any, Any, Any]:
        """blockIdx (x, y, z) of a block by its number; works on ints and on arrays."""
        outer = coordinates(number // self.cluster_blocks, self.clusters)
        inner = coordinates(number % self.cluster_blocks, self.cluster)
        x, y, z = (o * c + i for o, c, i in zip(outer, self.cluster, inner, strict=True))
        return x, y, z

    def block_index(self, lane: int, first_block: int) -> Index:
        """blockIdx of a lane, in the wave that begins with block number `first_block`."""
        return self.block_coordinates(first_block + int(lane) // self.stride)


def coordinates(linear: Any, shape: Index) -> tuple[Any, Any, Any]:
    """(x, y, z) of a linear index, x fastest; works on ints and on arrays."""
    return linear % shape[0], linear // shape[0] % shape[1], linear // (shape[0] * shape[1])
