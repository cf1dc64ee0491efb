"""The simulated GPU's counters beside Nsight Compute's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..checking import BadInput
from .ncu import Launched
from .work import Work, simulate

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

# Why a count differs, by kernel and counter; seen in the machine code that nvcc 13.0 makes.
WHY = {
    ("matmul_tiled", "shared_load_wavefronts"): (
        "the assembler joins the loads of four neighbours in a row of `left` into one of 16 bytes "
        "(28 LDS.128 beside 112 LDS)"
    ),
    ("sum_by_cub", "shared_load_wavefronts"): (
        "the assembler joins the loads of the warps' sums into one of 16 and one of 8 bytes"
    ),
    ("online_cub", "shared_load_wavefronts"): (
        "the assembler joins the 8-byte loads of the warps' pairs by twos (7 become 4)"
    ),
    ("scan_by_cub", "shared_load_wavefronts"): (
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
            f"ncu measured {len(measured)} launches, {len(expected)} are wanted, or in another "
            "order: measure again."
        )
    remaining = iter(launched)
    return [_row(work, [next(remaining)[1] for _ in work.launches]) for work in works]


def why(row: Row, counter: str) -> str:
    kernel = row.kernel.rpartition("/")[2].lstrip("0123456789_")  # of a lesson: without its number
    return WHY.get((kernel, counter), "not explained")


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
        cells[counter] = Cell(counter, count, None if None in values else sum(values))
    return Row(work, cells)
