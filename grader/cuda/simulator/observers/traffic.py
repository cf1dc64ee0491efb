"""What one access of a set of lanes moves: sectors of global memory, passes of shared memory.

The rules are those of NVIDIA's compute capability 7.0 and later, as the CUDA C++ Programming
Guide gives them for 4-byte accesses. For 8 and 16 bytes they are what Nsight Compute shows and
NVIDIA's engineers have said in public (forums.developer.nvidia.com, "Unexpected shared memory bank
conflict", 2019).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..engine.lanes import WARP, Lanes
from ..engine.lanes import index as lane_index

SECTOR_SHIFT = 5  # a sector has 32 bytes
SECTOR = 1 << SECTOR_SHIFT
BANKS = 32  # of 4 bytes each
PASS = 4 * BANKS  # bytes that shared memory can serve at once

_LANE = np.arange(WARP)


@dataclass(frozen=True)
class SharedTraffic:
    """`wavefronts`: passes needed. `conflicts`: those of them that conflict-free banks would have
    spared. `ideal`: fewest passes that could bring the bytes."""

    wavefronts: int
    conflicts: int
    ideal: int


def global_traffic(lanes: Lanes, addresses: np.ndarray, width: int) -> tuple[int, int]:
    """32-byte sectors that the warps' requests touch, and the fewest that could hold the bytes.
    An aligned access of `width` bytes never straddles two."""
    rows = by_warp(lanes, addresses)
    if (rows[:, 1:] < rows[:, :-1]).any():
        rows = np.sort(rows, axis=1)
    step = rows >> SECTOR_SHIFT
    touched = len(rows) + int(np.count_nonzero(step[:, 1:] != step[:, :-1]))
    return touched, _fewest(rows, width, SECTOR)


def shared_traffic(
    lanes: Lanes, addresses: np.ndarray, width: int, store: bool = False
) -> SharedTraffic:
    """In each pass a bank serves one 4-byte word, to any number of lanes. Lanes with 8 bytes are
    served half a warp at a time, with 16 bytes a quarter; twice as many if all neighbouring pairs
    (lanes 0 and 1, 2 and 3, ..., or 0 and 2, 1 and 3, ...) share an address. For a store, an H200
    then counts no conflict where it would not have counted one without the sharing."""
    rows = by_warp(lanes, addresses)
    ideal = _fewest(np.sort(rows, axis=1), width, PASS)
    if width <= 4:
        passes = worst_bank(rows >> 2)
        return SharedTraffic(int(passes.sum()), int(passes.sum()) - len(rows), ideal)
    active = by_warp(lanes, np.ones(len(addresses), bool), absent=False)
    paired = _in_pairs(rows, active)
    wavefronts = conflicts = 0
    for which, times in ((~paired, 1), (paired, 2)):
        if which.any():
            passes = _passes(rows[which], active[which], width, times * PASS // width)
            wavefronts += int(passes.sum())
            groups = active[which].reshape(-1, PASS // width) if store else passes[:, None]
            conflicts += int(passes.sum()) - int(np.count_nonzero(groups.any(axis=1)))
    return SharedTraffic(wavefronts, conflicts, ideal)


def by_warp(lanes: Lanes, values: np.ndarray, absent: bool | None = None) -> np.ndarray:
    """`values`, one per lane of the set, as rows (warps that take part, 32). Places of lanes that
    do not take part hold `absent`; None: some value of their warp, which adds nothing distinct."""
    if type(lanes) is slice and lanes.start % WARP == 0 and lanes.stop % WARP == 0:
        return values.reshape(-1, WARP)
    lane = lane_index(lanes)
    warp, row = np.unique(lane // WARP, return_inverse=True)
    first = np.searchsorted(lane, warp * WARP)
    filling = values[first][:, None] if absent is None else np.full((len(warp), 1), absent)
    rows = np.repeat(filling, WARP, axis=1)
    rows[row, lane % WARP] = values
    return rows


def worst_bank(words: np.ndarray) -> np.ndarray:
    """For each row of word indices, the most distinct words that fall into one bank: (rows,).
    Negative words are nobody's."""
    ordered = np.sort(words, axis=1)
    fresh = ordered >= 0
    fresh[:, 1:] &= ordered[:, 1:] != ordered[:, :-1]
    row = np.broadcast_to(np.arange(len(words))[:, None], words.shape)
    cell = (row * BANKS + ordered % BANKS)[fresh]
    return np.bincount(cell, minlength=len(words) * BANKS).reshape(-1, BANKS).max(axis=1)


def _fewest(ordered: np.ndarray, width: int, unit: int) -> int:
    """The fewest units of `unit` bytes that hold what each row of sorted addresses names."""
    fresh = np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1) + 1
    return int((-(-fresh * width // unit)).sum())


def _passes(rows: np.ndarray, active: np.ndarray, width: int, together: int) -> np.ndarray:
    """Passes for each group of `together` lanes; 0 where none of them takes part."""
    parts = width // 4
    words = np.where(active, rows >> 2, -parts)[:, :, None] + np.arange(parts)
    return worst_bank(words.reshape(-1, together * parts))


def _in_pairs(rows: np.ndarray, active: np.ndarray) -> np.ndarray:
    """Per warp, whether lanes that take part share addresses pairwise."""
    found = np.zeros(len(rows), bool)
    for distance in (1, 2):
        other = _LANE ^ distance
        found |= ((rows == rows[:, other]) | ~active | ~active[:, other]).all(axis=1)
    return found
