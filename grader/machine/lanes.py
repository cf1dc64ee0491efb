"""Sets of lanes: which threads of a wave execute an instruction together.

A lane is a thread's position in the wave's register arrays. A set is a `slice` where the lanes
are contiguous, so that registers are read and written through views without a copy, and a
sorted index array otherwise.
"""

from __future__ import annotations

import numpy as np

WARP = 32

Lanes = slice | np.ndarray


def compact(index: np.ndarray) -> Lanes:
    """The set holding the sorted, distinct lanes of `index`."""
    if len(index) and index[-1] - index[0] + 1 == len(index):
        return slice(int(index[0]), int(index[-1]) + 1)
    return index


def count(lanes: Lanes) -> int:
    return lanes.stop - lanes.start if type(lanes) is slice else len(lanes)


def index(lanes: Lanes) -> np.ndarray:
    """The lanes as a sorted index array."""
    return np.arange(lanes.start, lanes.stop) if type(lanes) is slice else lanes


def select(lanes: Lanes, mask: np.ndarray) -> Lanes:
    """The lanes for which `mask`, one bool per lane of the set, is true."""
    return compact(index(lanes)[mask])


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
