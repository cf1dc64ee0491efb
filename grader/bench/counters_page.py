"""docs/counters.md: the simulated GPU's counters beside Nsight Compute's."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..counted import counted
from ..errors import BadInput, unless
from ..page_templates import page_template
from ..profiler.work import Work, simulate
from ..watch.counters import METRICS
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

_FOUR_OF_A_ROW = (
    "the assembler joins the loads of four neighbours in a row of the tile of a into one of 16 "
    "bytes (4 LDS.128 instead of 16 LDS)"
)

_JOINED_IN_TILES = (
    "the assembler joins the loads of four neighbours in a row of a tile into one of 16 bytes "
    "(LDS.128)"
)

# Why counts of a kernel differ; seen in the machine code that nvcc 12.9 or 13.0 makes for sm_90.
WHY = {
    "who_am_i": "on the hardware `printf` is code with accesses of its own, which count as well",
    "01_expand_where/6_find_the_bug": (
        "the assembler loads from x only where cond chooses it (`@P1 LDG`); the PTX always loads "
        "both"
    ),
    "two_fences": (
        "the assembler lets one lane add for all lanes of a warp that meet at the atomic, and a "
        "shuffle gives each lane its ticket"
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
        "the last block reads the others' sums until they are there: how often, and with how many "
        "lanes, depends on time; once the stores of two warps met at a bank"
    ),
    "one_vector": (
        "a block reads the others' pairs until they are there: how often depends on time"
    ),
    "whole_gpu": (
        "blocks read each other's messages until they are there: how often depends on time; where "
        "stores meet writes of the copy engine, the hardware counts one more wavefront"
    ),
    "cluster_in_registers": (
        "the assembler joins the loads of a pair's maximum and sum into one of 8 bytes (LDS.64), "
        "and does not load the maximum again"
    ),
    "cluster_softmax": (
        "pairs from other blocks of the cluster arrive at any time: where two meet at a bank, the "
        "hardware counts one more wavefront (0 to 2 of them in four runs)"
    ),
    "look_back": "a block reads the sums before it until they are there: how often depends on time",
    "compact": "the assembler joins the loads of four warps' counts into one of 16 bytes (LDS.128)",
    "product": _FOUR_OF_A_ROW,
    "two_buffers": _FOUR_OF_A_ROW,
    "fast_product": (
        "the compiler stores some packs of 16 bytes in two halves, the assembler all of them at "
        "once (32 STG.128)"
    ),
    "shared_weights": (
        "block 0 copies to the other blocks of its cluster; there the hardware counts one more "
        "load and store per block, and wavefronts where reads meet these copies"
    ),
    "bf16_product": (
        "where stores meet writes of the copy engine, the hardware counts more wavefronts"
    ),
    "tiled": _JOINED_IN_TILES,
    "causal_tiles": _JOINED_IN_TILES,
    "ragged": _JOINED_IN_TILES,
    "matmul_tiled": (
        "the assembler joins the loads of four neighbours in a row of `left` into one of 16 bytes "
        "(28 LDS.128 instead of 112 LDS)"
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
    """One counter of one work."""

    counter: str
    simulated: int
    hardware: float | None  # None where ncu has no such counter

    @property
    def counts(self) -> bool:
        return bool(self.simulated or self.hardware)

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
class WorkCounters:
    """One work and its counters."""

    work: Work
    cells: dict[str, Cell]  # by counter


def compare(works: list[Work], launched: list[Launched]) -> list[WorkCounters]:
    """`launched` are the launches of `works` in the same order. Raises BadInput if they are not."""
    expected = [launch.kernel for work in works for launch in work.launches]
    measured = [name for name, _ in launched]
    unless(
        expected == measured,
        BadInput(
            f"ncu measured {counted(len(measured), 'launch', 'launches')}, of other kernels or in "
            f"another order than the {len(expected)} that are wanted: measure again."
        ),
    )
    rows, remaining = [], iter(launched)
    for work in works:
        counted_by_ncu = [next(remaining)[1] for _ in work.launches]
        totals = simulate(work).counters.total
        by_ncu = {counter: [counts[counter] for counts in counted_by_ncu] for counter in totals}
        cells = {
            counter: Cell(
                counter,
                count,
                None if None in by_ncu[counter] else sum(filter(None, by_ncu[counter])),
            )
            for counter, count in totals.items()
        }
        rows.append(WorkCounters(work, cells))
    return rows


def why(row: WorkCounters) -> str:
    """Why counts of this work differ, as far as it is known."""
    return WHY.get(row.work.name) or WHY.get(
        row.work.name.rpartition("/")[2].lstrip("0123456789_"), "not explained"
    )


def differences(rows: list[WorkCounters]) -> Iterator[tuple[WorkCounters, Cell]]:
    """The cells of COMPARED counters that differ."""
    cells = ((row, row.cells[counter]) for row in rows for counter in COMPARED)
    return ((row, cell) for row, cell in cells if cell.state == "differs")


# ---- the page ----


def page(rows: list[WorkCounters], left_out: dict[str, str], hardware: str) -> str:
    """Markdown: a summary, the counters of every kernel, what differs and why, instructions."""
    patterns = [row for row in rows if "_bytes," in row.work.name]
    return (
        page_template("bench/pages/counters.md", why=why).render(
            rows=rows,
            kernels=[row for row in rows if row not in patterns],
            patterns=patterns,
            different=list(differences(rows)),
            left_out=left_out,
            compared=COMPARED,
            metrics=METRICS,
            tolerance=f"{TOLERANCE:.0%}",
            hardware=hardware,
        )
        + "\n"
    )
