"""Timings for people at a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from .timings import Timings, size_text

_HEADINGS = ("ms", "10th to 90th percentile", "GB/s", "of a copy")


def show_timings(console: Console, timings: Timings) -> None:
    """A table, with a section for each size; then what is not in it."""
    table = Table("size", "variant", title=timings.title, title_justify="left")
    for heading in _HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    for size in timings.sizes:
        table.add_section()
        first = size_text(size)
        for row in (row for row in timings.rows if row.size == size):
            spread = f"{row.low:.4g} to {row.high:.4g}"
            speed = f"{row.gb_per_s:,.0f}", f"{row.fraction:.0%}"
            table.add_row(first, row.variant, f"{row.ms:.4g}", spread, *speed)
            first = ""
    console.print(table)
    for sentence in timings.skipped:
        console.print(sentence, markup=False, highlight=False)
