"""The simulated GPU's counters beside Nsight Compute's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...counted import counted
from ...errors import BadInput
from ...profiler.work import Work, simulate
from .ncu import Launched

# In tables: a counter, its short name. All must be equal or within TOLERANCE.
COMPARED = {
    "global_load_requests": "load requests",
    "global_load_sectors": "load sectors",
    "global_store_requests": "store requests",
    "global_store_sectors": "store sectors",
    "shared_load_wavefronts": "shared load wavefronts",
    "shared_load_bank_conflicts": "load bank conflicts",
    "shared_store_wavefronts": "shared store wavefronts",
    "shared_store_bank_conflicts": "store bank conflicts",
    "atomics": "atomics",
    "barriers": "barriers",
    "shuffles": "shuffles",
}
EXACT = {name for name in COMPARED if name.startswith("global")}
TOLERANCE = 0.02

_JOINED_BY_CUB = (
    "the assembler joins CUB's loads of the warps' results into loads of 8 and 16 bytes"
)

_SHUFFLED_ONCE = (
    "sum and maximum start from the same register: the assembler shuffles it once for both"
)

# Why counts of a kernel differ; seen in the machine code that nvcc 12.9 or 13.0 makes for sm_90.
WHY = {
    "who_am_i": "on the hardware `printf` is code of its own, whose accesses count as well",
    "01_expand_where/6_find_the_bug": (
        "the assembler loads from x only where cond chooses it (`@P1 LDG`), the PTX loads both"
    ),
    "two_fences": (
        "the assembler has one lane add for all of a warp that meet at the atomic, and a shuffle "
        "hands each its ticket"
    ),
    "fold_down": _SHUFFLED_ONCE,
    "one_exchange": _SHUFFLED_ONCE,
    "sum_and_largest": (
        f"{_SHUFFLED_ONCE}, and joins the loads of the warps' results into loads of 16 bytes"
    ),
    "to_the_largest": "the PTX loads x[i] twice, the machine code once, and keeps it in a register",
    "safe_softmax": "the PTX loads x[i] twice, the machine code once, and keeps it in a register",
    "row_sum_cub": _JOINED_BY_CUB,
    "baseline_cub": _JOINED_BY_CUB,
    "packs": _JOINED_BY_CUB,
    "row_in_registers": _JOINED_BY_CUB,
    "online_cub": ("the assembler joins the 8-byte loads of the warps' pairs by twos (7 become 4)"),
    "loads_in_flight": (
        "the last block asks for the others' sums until they are there: how often, and with how "
        "many lanes at a time, is a matter of time; two warps' stores met at a bank once"
    ),
    "one_vector": (
        "a block asks for the others' pairs until they are there: how often is a matter of time"
    ),
    "whole_gpu": (
        "blocks ask for each other's letters until they are there: how often is a matter of time; "
        "where stores meet what the copy engine writes, the hardware counts a wavefront more"
    ),
    "cluster_in_registers": (
        "the assembler joins the loads of a pair's maximum and sum into one of 8 bytes (LDS.64), "
        "and does not load the maximum again"
    ),
    "cluster_softmax": (
        "pairs from other blocks of the cluster arrive when they like: where two meet at a bank, "
        "the hardware counts one wavefront more (0 to 2 of them in four runs)"
    ),
    "matmul_tiled": (
        "the assembler joins the loads of four neighbours in a row of `left` into one of 16 bytes "
        "(28 LDS.128 beside 112 LDS)"
    ),
    "sum_by_cub": (
        "the assembler joins the loads of the warps' sums into one of 16 and one of 8 bytes"
    ),
    "scan_by_cub": (
        "the PTX has 17 loads from shared memory, the machine code 9: repeated ones are left out"
    ),
}


@dataclass(frozen=True)
class Cell:
    """One counter of one work. `hardware` is None where ncu has no such counter."""

    counter: str
    simulated: int
    hardware: float | None

    @property
    def state(self) -> str:
        """ "equal", "close" (within TOLERANCE, for counters that need not be equal), "differs" or
        "n/a"."""
        if self.hardware is None:
            return "n/a"
        if self.simulated == self.hardware:
            return "equal"
        near = abs(self.simulated - self.hardware) <= TOLERANCE * self.hardware
        return "close" if near and self.counter not in EXACT else "differs"


@dataclass(frozen=True)
class Row:
    """One work and its cells, by counter."""

    work: Work
    cells: dict[str, Cell]

    @property
    def kernel(self) -> str:
        return self.work.launches[0].kernel

    def instruction_ratio(self) -> float | None:
        """Instructions of the hardware for each PTX instruction."""
        cell = self.cells["inst_executed"]
        return cell.hardware / cell.simulated if cell.hardware is not None else None


def compare(works: list[Work], launched: list[Launched]) -> list[Row]:
    """`launched` are the launches of `works` in the same order. Raises BadInput if they are not."""
    expected = [launch.kernel for work in works for launch in work.launches]
    measured = [name for name, _ in launched]
    if expected != measured:
        raise BadInput(
            f"ncu measured {counted(len(measured), 'launch', 'launches')}, of other kernels or in "
            f"another order than the {len(expected)} that are wanted: measure again."
        )
    remaining = iter(launched)
    return [_row(work, [next(remaining)[1] for _ in work.launches]) for work in works]


def why(row: Row) -> str:
    """Why counts of this work differ, as far as it is known."""
    of_lesson = row.work.name.rpartition("/")[2].lstrip("0123456789_")
    return WHY.get(row.work.name) or WHY.get(of_lesson, "not explained")


def differences(rows: list[Row]) -> Iterator[tuple[Row, Cell]]:
    """The cells of COMPARED counters that differ."""
    for row in rows:
        for counter in COMPARED:
            if row.cells[counter].state == "differs":
                yield row, row.cells[counter]


def _row(work: Work, measured: list[dict[str, float | None]]) -> Row:
    cells = {}
    for counter, count in simulate(work).counters.total.items():
        values = [one[counter] for one in measured]
        known = [value for value in values if value is not None]
        cells[counter] = Cell(counter, count, sum(known) if len(known) == len(values) else None)
    return Row(work, cells)
