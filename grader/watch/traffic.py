"""What accesses of sets of lanes move: sectors of global memory, passes of shared memory.

The rules are those of NVIDIA's compute capability 7.0 and later, as the CUDA C++ Programming
Guide gives them for 4-byte accesses. For 8 and 16 bytes they are what Nsight Compute shows and
NVIDIA's engineers have said in public (forums.developer.nvidia.com, "Unexpected shared memory bank
conflict", 2019).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..machine.lanes import WARP, Lanes, lane_index

SECTOR_SHIFT = 5  # a sector has 32 bytes
SECTOR = 1 << SECTOR_SHIFT
BANKS = 32  # of 4 bytes each
PASS = 4 * BANKS  # bytes that shared memory can serve at once

_LANE = np.arange(WARP)


@dataclass(frozen=True, eq=False)
class Rows:
    """What the warps of some accesses ask for, a row for each warp: `addresses` int64 (rows, 32),
    of lanes that do not take part (`active` is false) that of one that does; `access`: which of
    the accesses a row belongs to."""

    addresses: np.ndarray
    active: np.ndarray
    access: np.ndarray


def rows_of(accesses: Sequence[tuple[Lanes, np.ndarray]]) -> Rows:
    """The rows of accesses that are each given by their lanes and an address for each."""
    lane = np.concatenate([lane_index(lanes) for lanes, _ in accesses])
    values = np.concatenate([addresses for _, addresses in accesses])
    access = np.repeat(np.arange(len(accesses)), [len(addresses) for _, addresses in accesses])
    warp = access << 32 | lane // WARP
    first = np.flatnonzero(np.diff(warp, prepend=-1))
    row = np.repeat(np.arange(len(first)), np.diff(first, append=len(warp)))
    rows = np.repeat(values[first][:, None], WARP, axis=1)
    active = np.zeros(rows.shape, bool)
    rows[row, lane & WARP - 1], active[row, lane & WARP - 1] = values, True
    return Rows(rows, active, access[first])


def global_traffic(rows: Rows, width: int) -> tuple[np.ndarray, np.ndarray]:
    """32-byte sectors that the warps' requests touch, and the fewest that could hold the bytes, by
    row. An aligned access of `width` bytes never straddles two."""
    ordered = np.sort(rows.addresses, axis=1)
    step = ordered >> SECTOR_SHIFT
    touched = 1 + np.count_nonzero(step[:, 1:] != step[:, :-1], axis=1)
    return touched, _fewest(ordered, width, SECTOR)


def shared_traffic(rows: Rows, width: int, store: bool = False) -> dict[str, np.ndarray]:
    """By row, "wavefronts": passes needed; "bank_conflicts": those of them that conflict-free banks
    would have spared; "wavefronts_ideal": fewest passes that could bring the bytes.

    In each pass a bank serves one 4-byte word, to any number of lanes. Lanes with 8 bytes are
    served half a warp at a time, with 16 bytes a quarter; twice as many if all neighbouring pairs
    (lanes 0 and 1, 2 and 3, ..., or 0 and 2, 1 and 3, ...) share an address. For a store, an H200
    then counts no conflict where it would not have counted one without the sharing."""
    places, active = rows.addresses, rows.active
    ideal = {"wavefronts_ideal": _fewest(np.sort(places, axis=1), width, PASS)}
    if width <= 4:
        passes = worst_bank(places >> 2)
        return ideal | {"wavefronts": passes, "bank_conflicts": passes - 1}
    paired = _in_pairs(places, active)
    wavefronts, conflicts = np.zeros((2, len(places)), np.int64)
    for which, times in ((~paired, 1), (paired, 2)):
        if which.any():
            passes = _passes(places[which], active[which], width, times * PASS // width)
            groups = active[which].reshape(len(passes), -1, PASS // width).any(axis=2)
            spared = groups if store else passes > 0
            wavefronts[which] = passes.sum(axis=1)
            conflicts[which] = wavefronts[which] - np.count_nonzero(spared, axis=1)
    return ideal | {"wavefronts": wavefronts, "bank_conflicts": conflicts}


def worst_bank(words: np.ndarray) -> np.ndarray:
    """For each row of word indices, the most distinct words that fall into one bank: (rows,).
    Negative words are nobody's."""
    ordered = np.sort(words, axis=1)
    fresh = ordered >= 0
    fresh[:, 1:] &= ordered[:, 1:] != ordered[:, :-1]
    row = np.broadcast_to(np.arange(len(words))[:, None], words.shape)
    cell = (row * BANKS + ordered % BANKS)[fresh]
    return np.bincount(cell, minlength=len(words) * BANKS).reshape(-1, BANKS).max(axis=1)


def _fewest(ordered: np.ndarray, width: int, unit: int) -> np.ndarray:
    """The fewest units of `unit` bytes that hold what each row of sorted addresses names."""
    fresh = np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1) + 1
    return np.asarray(-(-fresh * width // unit))


def _passes(rows: np.ndarray, active: np.ndarray, width: int, together: int) -> np.ndarray:
    """Passes for each group of `together` lanes, (rows, groups); 0 where none takes part."""
    parts = width // 4
    words = np.where(active, rows >> 2, -parts)[:, :, None] + np.arange(parts)
    return worst_bank(words.reshape(-1, together * parts)).reshape(len(rows), -1)


def _in_pairs(rows: np.ndarray, active: np.ndarray) -> np.ndarray:
    """Per warp, whether lanes that take part share addresses pairwise."""
    found = np.zeros(len(rows), bool)
    for distance in (1, 2):
        other = _LANE ^ distance
        found |= ((rows == rows[:, other]) | ~active | ~active[:, other]).all(axis=1)
    return found
