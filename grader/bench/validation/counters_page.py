"""docs/counters.md: the simulated GPU's counters beside an NVIDIA GPU's."""

from __future__ import annotations

from collections import Counter

from ...watch.counters import METRICS
from . import line
from .comparison import COMPARED, TOLERANCE, Cell, Row, differences, why


def page(rows: list[Row], left_out: dict[str, str], hardware: str) -> str:
    """Markdown: a summary, the counters of every kernel, what differs and why, instructions."""
    patterns = [row for row in rows if "_bytes," in row.work.name]
    kernels = [row for row in rows if row not in patterns]
    return "\n".join(
        [
            "# Counters: the simulated GPU beside a real one",
            "",
            f"Made by `grader counters`. Hardware: {hardware}.",
            "A single number: both count the same. Two numbers: simulated / hardware.",
            f"**Bold**: they differ by more than {TOLERANCE:.0%}, or at all where they must not",
            "(requests and sectors of global memory).",
            "",
            *_summary(rows),
            "",
            *_not_run(left_out),
            "## Kernels",
            "",
            *_table(kernels),
            "",
            "## One warp in shared memory",
            "",
            "`read` and `write` go to cells of 4, 8 or 16 bytes, each lane to its own: see",
            "`CELLS` in `grader/bench/microbenchmarks`.",
            "",
            *_table(patterns),
            "",
            "## What differs, and why",
            "",
            *_why(rows),
            "",
            "## Instructions",
            "",
            "The simulated GPU counts PTX instructions, the hardware its own.",
            "",
            *_instructions(kernels),
            "",
            "## The metrics",
            "",
            *[f"- {short}: `{METRICS[counter]}`" for counter, short in COMPARED.items()],
            "",
        ]
    )


def _summary(rows: list[Row]) -> list[str]:
    head = ["| counter | equal | close | differs | n/a |", "| --- | ---: | ---: | ---: | ---: |"]
    states = ("equal", "close", "differs", "n/a")
    lines = []
    for counter, short in COMPARED.items():
        found = Counter(row.cells[counter].state for row in rows)
        lines.append(line([short, *(str(found[state]) for state in states)]))
    return head + lines


def _not_run(left_out: dict[str, str]) -> list[str]:
    lines = [f"- {name}: {reason}" for name, reason in left_out.items()]
    return ["Not compared:", "", *lines, ""] if lines else []


def _table(rows: list[Row]) -> list[str]:
    """Only the counters that some of the rows have."""
    used = [c for c in COMPARED if any(_matters(row.cells[c]) for row in rows)]
    head = [line(["kernel", *(COMPARED[c] for c in used)]), line(["---", *["---:"] * len(used)])]
    return head + [line([row.work.name, *(_cell(row.cells[c]) for c in used)]) for row in rows]


def _matters(cell: Cell) -> bool:
    return bool(cell.simulated or cell.hardware)


def _cell(cell: Cell) -> str:
    if cell.state == "equal":
        return f"{cell.simulated:,}" if cell.simulated else ""
    if cell.state == "n/a":
        return f"{cell.simulated:,} / n/a"
    both = f"{cell.simulated:,} / {cell.hardware:,.0f}"
    return f"**{both}**" if cell.state == "differs" else both


def _why(rows: list[Row]) -> list[str]:
    found = list(differences(rows))
    if not found:
        return ["Nothing differs."]
    head = [
        "| kernel | counter | simulated | hardware | why |",
        "| --- | --- | ---: | ---: | --- |",
    ]
    return head + [
        line(
            [
                row.work.name,
                COMPARED[cell.counter],
                f"{cell.simulated:,}",
                f"{cell.hardware:,.0f}",
                why(row),
            ]
        )
        for row, cell in found
    ]


def _instructions(rows: list[Row]) -> list[str]:
    head = ["| kernel | PTX | hardware | ratio |", "| --- | ---: | ---: | ---: |"]
    lines = []
    for row in rows:
        cell, ratio = row.cells["inst_executed"], row.instruction_ratio()
        hardware = f"{cell.hardware:,.0f}" if ratio is not None else "n/a"
        shown = f"{ratio:.2f}" if ratio is not None else "n/a"
        lines.append(line([row.work.name, f"{cell.simulated:,}", hardware, shown]))
    return head + lines
