"""docs/conformance.md: what the simulated GPU computes beside what an NVIDIA GPU does."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from ...cuda import gpu_count
from ...errors import BadInput
from ..conformance import DRAWN, SAMPLES, Row, table
from . import line

_HEAD = ["family", "forms", "inputs", "equal to the bit", "within the bound", "beyond it"]


def measure() -> list[Row]:
    """Every instruction form on both devices, about a minute. Raises BadInput without a GPU."""
    if not gpu_count():
        raise BadInput("There is no GPU here to compare the simulated one with.")
    return list(table())


def hardware() -> str:
    """The GPU and the CUDA version that this process uses."""
    from cupy.cuda import nvrtc, runtime

    name = runtime.getDeviceProperties(0)["name"].decode()
    driver = runtime.driverGetVersion()
    compiler = ".".join(map(str, nvrtc.getVersion()))
    return f"{name}; CUDA {driver // 1000}.{driver % 1000 // 10} (driver), NVRTC {compiler}"


def page(rows: Iterable[Row], on: str, day: date) -> str:
    """Markdown: the families, what lies beyond a bound, and what the columns mean."""
    rows = list(rows)
    return "\n".join(
        [
            "# Arithmetic: the simulated GPU beside a real one",
            "",
            f"Made by `grader conformance` on {day.isoformat()}. Hardware: {on}.",
            "",
            "One small kernel per form of an instruction ran on both devices with the same inputs:",
            f"{SAMPLES:,} chosen to look for trouble and {DRAWN:,} drawn by hypothesis for each.",
            "",
            line([*_HEAD, "worst, ulp", "where"]),
            line(["---", *["---:"] * len(_HEAD), "---"]),
            *[line(_cells(row)) for row in rows],
            line(_total(rows)),
            "",
            "*Within the bound*: the bits differ, but the hardware's result is as close to the",
            "true value as the PTX ISA documents, or it documents no error there (the sine of a",
            "huge angle). Exact instructions have no such bound: of them, every difference is",
            "*beyond it*. *Worst* is the largest difference between the devices in units of the",
            "last place, for integers the plain difference; ∞ is NaN beside a number.",
            "",
            "## Beyond the bound",
            "",
            *(_outside(rows) or ["Nothing."]),
            "",
        ]
    )


def _cells(row: Row) -> list[str]:
    worst = "∞" if row.worst == float("inf") else f"{row.worst:,.0f}" if row.worst else ""
    where = f"`{row.where}`" if row.where else ""
    return [row.family, *_numbers([row]), worst, where]


def _total(rows: list[Row]) -> list[str]:
    return ["all", *_numbers(rows), "", ""]


def _numbers(rows: list[Row]) -> list[str]:
    return [
        f"{sum(getattr(row, column) for row in rows):,}"
        for column in ("forms", "inputs", "exact", "within", "beyond")
    ]


def _outside(rows: list[Row]) -> list[str]:
    return [
        f"- {row.family}: {', '.join(f'`{name}`' for name in row.beyond_in)}"
        for row in rows
        if row.beyond
    ]
