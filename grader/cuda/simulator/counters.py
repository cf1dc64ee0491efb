"""What a launch cost: counts per PTX instruction, reported per source line and in all.

The names stand for Nsight Compute's metrics (`METRICS`). Requests, sectors and wavefronts follow
the hardware's rules. Instructions and branches are PTX's, not the machine's own: the assembler
turns one into several (a division) and a short branch into predicated instructions.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from .lanes import WARP, Lanes
from .lanes import index as lane_index

METRICS = {
    "inst_executed": "smsp__inst_executed.sum",
    "thread_inst_executed": "smsp__thread_inst_executed.sum",
    "branches": "smsp__sass_branch_targets.sum",
    "divergent_branches": "smsp__sass_branch_targets_threads_divergent.sum",
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_load_bytes": "smsp__sass_data_bytes_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "global_store_bytes": "smsp__sass_data_bytes_mem_global_op_st.sum",
    "shared_load_requests": "smsp__sass_inst_executed_op_shared_ld.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_requests": "smsp__sass_inst_executed_op_shared_st.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "local_load_requests": "smsp__sass_inst_executed_op_local_ld.sum",
    "local_store_requests": "smsp__sass_inst_executed_op_local_st.sum",
    "atomics": "smsp__inst_executed_op_generic_atom_dot_alu.sum and its siblings",
    "shuffles": "smsp__inst_executed_pipe_lsu shuffles (SHFL)",
    "barriers": "smsp__inst_executed_op_barrier (BAR)",
}

SECTOR_SHIFT = 5  # a sector is 32 bytes
BANKS = 32  # of 4 bytes each


class Counters:
    """`total`: counter -> int. `lines`: source line -> counter -> int; code of no known line is
    under line 0. Counts of several launches add up."""

    def __init__(self):
        self.lines: dict[int, dict[str, int]] = defaultdict(lambda: dict.fromkeys(METRICS, 0))

    @property
    def total(self) -> dict[str, int]:
        return {name: sum(line[name] for line in self.lines.values()) for name in METRICS}

    def add(self, line: int | None, name: str, amount: int) -> None:
        self.lines[line or 0][name] += int(amount)


def by_warp(lanes: Lanes, values: np.ndarray) -> np.ndarray:
    """`values`, one per lane of the set, as rows (warps that take part, 32); places of lanes
    that do not take part repeat a value of their warp, so they add nothing distinct."""
    if type(lanes) is slice and lanes.start % WARP == 0 and lanes.stop % WARP == 0:
        return values.reshape(-1, WARP)
    lane = lane_index(lanes)
    warp, row = np.unique(lane // WARP, return_inverse=True)
    first = np.searchsorted(lane, warp * WARP)
    rows = np.repeat(values[first][:, None], WARP, axis=1)
    rows[row, lane % WARP] = values
    return rows


def distinct(rows: np.ndarray) -> int:
    """How many distinct values the rows hold, counted within each row and summed."""
    ordered = rows if (rows[:, 1:] >= rows[:, :-1]).all() else np.sort(rows, axis=1)
    return len(rows) + int(np.count_nonzero(ordered[:, 1:] != ordered[:, :-1]))


def sectors(lanes: Lanes, addresses: np.ndarray) -> int:
    """32-byte sectors that the warps' requests touch; aligned accesses never straddle two."""
    return distinct(by_warp(lanes, addresses >> SECTOR_SHIFT))


def wavefronts(lanes: Lanes, addresses: np.ndarray, size: int) -> int:
    """Passes that shared memory needs: in each, a bank serves one 4-byte word, to any number of
    lanes. Lanes with 8 bytes are served half a warp at a time, with 16 bytes a quarter."""
    rows = by_warp(lanes, addresses)
    if size <= 4:
        return int(bank_conflicts(rows >> 2).sum())
    group = WARP * 4 // size
    words = np.repeat(rows >> 2, size // 4, axis=1) + np.tile(np.arange(size // 4), WARP)
    return int(bank_conflicts(words.reshape(-1, group * size // 4)).sum())


def bank_conflicts(words: np.ndarray) -> np.ndarray:
    """For each row of word indices, the most distinct words that fall into one bank: (rows,)."""
    ordered = np.sort(words, axis=1)
    fresh = np.ones(ordered.shape, bool)
    fresh[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    row = np.broadcast_to(np.arange(len(words))[:, None], words.shape)
    cell = (row * BANKS + ordered % BANKS)[fresh]
    return np.bincount(cell, minlength=len(words) * BANKS).reshape(-1, BANKS).max(axis=1)
