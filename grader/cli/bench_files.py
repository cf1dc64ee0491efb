"""What `grader bench --device gpu` leaves behind, and what it says beside an earlier run."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from ..bench import timings
from ..bench.timings import Timings, changes, compared, size_text

Found = Mapping[str, Sequence[Timings]]  # by lesson


def write(found: Found, folder: Path) -> None:
    """For each lesson its times as JSON, which `--against` reads; for each benchmark a table as CSV
    and a picture, bandwidth against size."""
    from ..notebook.draw.bandwidth_curves import bandwidth

    folder.mkdir(parents=True, exist_ok=True)
    for lesson, measured in found.items():
        timings.write(folder / f"{lesson}.json", measured[0].measured_on, measured)
        for one in measured:
            _table(one, folder / f"{lesson}.{one.name}.csv")
            bandwidth(one).savefig(folder / f"{lesson}.{one.name}.png")


def _table(found: Timings, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = [asdict(row) | {"size": size_text(row.size)} for row in found.rows]
        writer = csv.DictWriter(file, ["size", *(name for name in rows[0] if name != "size")])
        writer.writeheader()
        writer.writerows(rows)


def show_changes(found: Found, against: Path, console: Console) -> None:
    """What became faster or slower than the file says."""
    then = timings.kept(against)
    pairs = [(one, then[one.name]) for ones in found.values() for one in ones if one.name in then]
    different = [change for pair in pairs for change in changes(*pair)]
    table = Table("benchmark", "size", "variant", title=f"Beside {against}", title_justify="left")
    for heading in ("ms then", "ms now", "times as fast"):
        table.add_column(heading, justify="right")
    for one in sorted(different, key=lambda change: change.times_as_fast):
        ms = f"{one.then:.4g}", f"{one.now:.4g}", f"{one.times_as_fast:.3f}"
        table.add_row(one.benchmark, size_text(one.size), one.variant, *ms)
    if different:
        console.print(table)
    alike = sum(compared(*pair) for pair in pairs) - len(different)
    console.print(f"As fast as then, as far as these times can tell: {alike} more.")
