"""Sets of lanes, and where each lane of a wave sits: grid, block, warp, thread.

A lane is a thread's position in the wave's register arrays. A set of those that execute an
instruction together is a `slice` where the lanes are contiguous, so that registers are read and
written through views without a copy, and a sorted index array otherwise.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..cuda.limits import WARP as WARP

Lanes = slice | np.ndarray
Step = Callable[[Lanes], Any]  # executes an instruction for a set of lanes
Successors = tuple[tuple[int, Lanes], ...]  # where lanes go on
Groups = list[tuple[int, np.ndarray]]  # instructions, and the lanes that stand there


def compact(index: np.ndarray) -> Lanes:
    """The set holding the sorted, distinct lanes of `index`."""
    return (
        slice(int(index[0]), int(index[-1]) + 1)
        if len(index) and index[-1] - index[0] + 1 == len(index)
        else index
    )


def seen_by_all(value: np.ndarray, lanes: int) -> np.ndarray:
    """An array (lanes,) of the one value of a 0-d array, as `np.broadcast_to` makes it, in a
    fraction of the time."""
    return np.ndarray((lanes,), value.dtype, value, strides=(0,))


def count(lanes: Lanes) -> int:
    return lanes.stop - lanes.start if type(lanes) is slice else len(lanes)


_FIRST = np.arange(1 << 16)
_FIRST.flags.writeable = False


def lane_index(lanes: Lanes) -> np.ndarray:
    """The lanes as a sorted index array, which is not to be changed."""
    if type(lanes) is not slice:
        return lanes
    return _FIRST[lanes] if lanes.stop <= len(_FIRST) else np.arange(lanes.start, lanes.stop)


class Dense:
    """Sets of lanes as parts of a slice. To do something to a slice with a mask costs less than to
    do it to an index array, unless most lanes of the slice are not in the set."""

    def __init__(self) -> None:
        self._last: Lanes = slice(0, 0)
        self._found: tuple[Lanes, np.ndarray | bool] = self._last, True
        self._again = False

    def of(self, lanes: Lanes) -> tuple[Lanes, np.ndarray | bool]:
        """The slice that holds the lanes, and for each of its lanes whether it is in the set; or
        `lanes`, and True for all of them. The mask is made when a set comes the second time."""
        if lanes is not self._last:
            self._last, self._found, self._again = lanes, (lanes, True), False
        elif type(lanes) is not slice and not self._again:
            self._again = True
            first, end = int(lanes[0]), int(lanes[-1]) + 1
            if 2 * len(lanes) > end - first:
                inside = np.zeros(end - first, bool)
                inside[lanes - first] = True
                self._found = slice(first, end), inside
        return self._found


def select(lanes: Lanes, mask: np.ndarray) -> Lanes:
    """The lanes for which `mask`, one bool per lane of the set, is true."""
    return compact(lane_index(lanes)[mask])


def first_of(lanes: Lanes, mask: np.ndarray) -> int | None:
    """The first lane for which `mask`, likewise, is true; None if there is none."""
    return int(lane_index(lanes)[np.argmax(mask)]) if np.count_nonzero(mask) else None


def put(arrays: Iterable[np.ndarray], lanes: Lanes, values: Iterable[Any]) -> None:
    """The lanes of each array, as far as there are values, get one's."""
    for array, value in zip(arrays, values, strict=False):
        array[lanes] = value


def fill(arrays: Iterable[np.ndarray], value: Any, lanes: Lanes = slice(None)) -> None:
    """The lanes of all these arrays, or all of them, get a value."""
    for array in arrays:
        array[lanes] = value


def by_value(lanes: Lanes, values: np.ndarray) -> list[tuple[int, Lanes]]:
    """The lanes of each value (there is one for every lane of the set), lowest value first."""
    if (values == values[0]).all():
        return [(int(values[0]), lanes)]
    index = lane_index(lanes)
    return [(int(value), compact(index[values == value])) for value in np.unique(values)]


def merge(parts: list[Lanes]) -> Lanes:
    """The union of disjoint sets."""
    if len(parts) == 1:
        return parts[0]
    end = max(part.stop if type(part) is slice else part[-1] + 1 for part in parts)
    inside = np.zeros(end, bool)  # marking and collecting is far cheaper than sorting
    for part in parts:
        inside[part] = True
    return compact(np.flatnonzero(inside))


def warps(lanes: Lanes) -> int:
    """How many warps have at least one lane in the set."""
    if not count(lanes):
        return 0
    if type(lanes) is slice:
        return ((lanes.stop - 1) // WARP) - (lanes.start // WARP) + 1
    warp = lanes // WARP
    return int(np.count_nonzero(warp[1:] != warp[:-1])) + 1


def warp_masks(index: np.ndarray, warps: int) -> np.ndarray:
    """Per warp of a wave of `warps`, the mask of its lanes that are in `index`: uint32."""
    inside = np.zeros(warps * WARP, bool)
    inside[index] = True
    return np.packbits(inside, bitorder="little").view(np.uint32)


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

    @property
    def launches(self) -> int:
        """Launches that run at the same time."""
        return 1

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

    def launch_of(self, number: Any) -> Any:
        """The launch, from 0, of a block by its number; works on ints and on arrays."""
        return number * 0

    def grid_of(self, number: Any) -> tuple[Any, ...]:
        """gridDim (x, y, z) of a block by its number; works on ints and on arrays."""
        return self.grid

    def block_coordinates(self, number: Any) -> tuple[Any, Any, Any]:
        """blockIdx (x, y, z) of a block by its number; works on ints and on arrays."""
        outer = coordinates(number // self.cluster_blocks, self.clusters)
        inner = coordinates(number % self.cluster_blocks, self.cluster)
        x, y, z = (o * c + i for o, c, i in zip(outer, self.cluster, inner, strict=True))
        return x, y, z


@dataclass(frozen=True)
class BatchGeometry(Geometry):
    """Several launches with blocks of one shape, run as one grid, which has one dimension. Each has
    a grid of its own, of `grids`, of which the blocks with those numbers run that are `chosen`."""

    grids: tuple[Index, ...] = ()
    chosen: tuple[Sequence[int], ...] = ()

    @property
    def launches(self) -> int:
        return len(self.grids)

    @cached_property
    def _launch_of_block(self) -> np.ndarray:
        return np.repeat(np.arange(len(self.grids)), [len(one) for one in self.chosen])

    @cached_property
    def _own_number(self) -> np.ndarray:
        return np.concatenate([np.asarray(one) for one in self.chosen])

    def launch_of(self, number: Any) -> Any:
        """Lanes without a thread may seem to be of later blocks, which are none."""
        return self._launch_of_block[np.minimum(number, self.blocks - 1)]

    def grid_of(self, number: Any) -> tuple[Any, ...]:
        return tuple(np.array(self.grids).T[:, self.launch_of(number)])

    def block_coordinates(self, number: Any) -> tuple[Any, Any, Any]:
        return coordinates(
            self._own_number[np.minimum(number, self.blocks - 1)], self.grid_of(number)
        )


def coordinates(linear: Any, shape: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    """(x, y, z) of a linear index, x fastest; works on ints and on arrays."""
    return linear % shape[0], linear // shape[0] % shape[1], linear // (shape[0] * shape[1])
