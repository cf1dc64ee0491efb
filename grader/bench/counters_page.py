"""docs/counters.md: the simulated GPU's counters beside Nsight Compute's."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import BadInput, counted, unless
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

_BECAUSE = tomllib.loads(
    (Path(__file__).parent / "pages/counters.toml").read_text(encoding="utf-8")
)["because"]
# By kernel, why its counts differ.
WHY = {name: " ".join(one["why"].split()) for one in _BECAUSE for name in one["kernels"]}


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
